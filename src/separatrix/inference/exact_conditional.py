"""Exact conditional tests and intervals of a logistic regression: no large samples are assumed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from scipy.special import logsumexp

from separatrix._later import flint
from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Sample, dense
from separatrix.inference.conditional_law import MOST_POINTS, ConditionalLaw, Grid, conditional_law
from separatrix.inference.estimates import Estimates
from separatrix.inference.printing import rounded_down, rounded_up
from separatrix.scale import Rows

WIDTHS = tuple(2.0**-k for k in (40, 34, 28, 22, 16))  # of a bracket, in ln(odds ratio)
MANY_VALUES = 5  # of another column: with more it is named where there is no test
LARGEST = 709.0  # e^709 is a double
PRECISION = 192  # bits: both sides of an equation are sums of terms >= 0, so none are lost


@dataclass(frozen=True)
class ExactTest:
    """What the conditional law says of one coefficient.

    Parameters
    ----------
    column : int
        Index of the coefficient in (1+d,).
    step : Fraction
        Of the grid of the column; the law counts T in these steps.
    law : ConditionalLaw
    p, mid_p : Fraction
        Of "this coefficient is 0": of all T at most as probable as that observed; less half of it.
    score_p, score_mid_p : Fraction
        By the score method: of all T at least as far from the mean of the law.
    p_less, p_greater : Fraction
        Of T at most, and at least, the one observed.
    score : Fraction or None
        (T - mean)^2 / variance.
    estimate : float
        Conditional maximum likelihood; +-inf where T is at an end of its support.
    median_unbiased : float
        Mean of the coefficients with P(T >= observed) = 1/2 and P(T <= observed) = 1/2.
    lower, upper : float
        Ends of the exact interval (each tail (1 - level) / 2), rounded outwards; +-inf at an end.
    odds_ratios : {"estimate", "lower", "upper", "median_lower", "median_upper": (least, most)}
        Rationals between which e^(step b) of each finite one is proven to lie.
    """

    column: int
    step: Fraction
    law: ConditionalLaw
    p: Fraction
    mid_p: Fraction
    score_p: Fraction
    score_mid_p: Fraction
    p_less: Fraction
    p_greater: Fraction
    score: Fraction
    estimate: float
    median_unbiased: float
    lower: float
    upper: float
    odds_ratios: Mapping[str, tuple[Fraction, Fraction]] = field(repr=False)


def exact_tests(
    sample: Sample,
    columns: Sequence[int] | None = None,
    *,
    level: float = 0.95,
    names: Sequence[str] | None = None,
    most_points: int = MOST_POINTS,
) -> tuple[ExactTest, ...]:
    """Return the exact conditional test of each column given all others (and the constant).

    Numbers are read as the shortest decimals that give their doubles, so that 0.1 + 0.2 ties 0.3.
    A row of weight k counts as k rows.

    Parameters
    ----------
    sample : N rows
    columns : indices in (1+d,), or None for all but the intercept
    level : of the intervals
    names : of the d columns, for messages
    most_points : partial sums of the other columns to keep before giving up

    Raises
    ------
    InputError
        Where weights are not whole, a law has one point only (it is degenerate: given the other
        columns T cannot differ), or there are more support points than the limit.
    """
    values = np.column_stack((np.ones(sample.n), dense(sample.X, "exact tests"))).T.tolist()
    copies = _copies(sample.weight)
    yes = (sample.y > 0).tolist()
    called = ["the intercept", *(names or [f"x{k}" for k in range(1, sample.d + 1)])]
    tail = (1 - Fraction(repr(float(level)))) / 2
    first, found = 0 if sample.x0 else 1, []
    for j in range(1, sample.d + 1) if columns is None else columns:
        if j < first:
            raise InputError("there is no intercept: name another column for the exact test.")
        shift = sample.x0 != 0.0 and j != 0
        grids = {k: Grid.of(values[k], shift=shift and k > 0) for k in range(first, sample.d + 1)}
        rest = [grid.whole for k, grid in grids.items() if k != j]
        others = list(zip(*rest, strict=True)) if rest else [()] * sample.n
        try:
            law = conditional_law(grids[j].whole, others, copies, yes, most_points=most_points)
        except InputError as error:
            many = _most_values(j, called, grids)
            raise InputError(f"no exact test of {called[j]}: {error}{many}") from None
        if len(law.counts) == 1:
            raise InputError(_degenerate(j, called, grids))
        found.append(conditional_test(law, j, grids[j].step, tail))
    return tuple(found)


NOTES = (
    "Exact conditional inference: each coefficient given the sums of all other columns. The exact "
    "p is that of the probability method; score is the conditional score statistic.",
    "Right for small samples and few columns of few values. Where the conditional law has few "
    "points p and intervals are conservative: mid-p is less so.",
)


def exact_estimates(rows: Rows, level: float, options: Mapping[str, Untyped]) -> Estimates:
    """Return conditional estimates, exact intervals and p-values, as a row of `methods`."""
    sample, names = rows.whole(), options.get("names")
    tests = exact_tests(sample, options.get("columns"), level=level, names=names)
    estimate, lower, upper, chi2, p = np.full((5, 1 + sample.d), math.nan)
    notes = list(NOTES)
    for test in tests:
        k = test.column
        estimate[k], lower[k], upper[k] = test.estimate, test.lower, test.upper
        chi2[k], p[k] = float(test.score), float(test.p)
        name = "(intercept)" if k == 0 else names[k - 1] if names else f"x{k}"
        notes.append(
            f"{name}: exact p {_short(test.p)} (probability method), its mid-p "
            f"{_short(test.mid_p)}, exact p of the score method {_short(test.score_p)}; "
            f"median-unbiased coefficient {test.median_unbiased:.6g}, odds ratio "
            f"{_odds(test.median_unbiased):.3g} with the exact interval {_odds_interval(test)}; "
            f"{len(test.law.counts):,} support points."
        )
    errors = np.full(1 + sample.d, math.nan)
    return Estimates(estimate, errors, lower, upper, chi2, p, math.nan, notes=notes)


def _odds(coefficient: float) -> float:
    return math.exp(coefficient) if coefficient < LARGEST else math.inf


def _odds_interval(test: ExactTest) -> str:
    """Return "[10.8, infinity)", rounded outwards."""
    low, high = _odds(test.lower), _odds(test.upper)
    end = "infinity)" if math.isinf(high) else f"{rounded_up(high, 3)}]"
    return f"{'(' if math.isinf(test.lower) else '['}{rounded_down(low, 3)}, {end}"


def _short(p: Fraction) -> str:
    """Return "17/35 = 0.485714", without the fraction where that is long."""
    text = f"{p} = {float(p):.6g}" if p.denominator > 1 else str(p)
    return text if len(text) <= 30 else f"{float(p):.6g}"


def conditional_test(law: ConditionalLaw, column: int, step: Fraction, tail: Fraction) -> ExactTest:
    """Return what a law of two points or more says; each end of the interval leaves out `tail`."""
    counts, t = law.counts, law.observed
    total, here = sum(counts.values()), counts[t]
    mean = Fraction(sum(k * c for k, c in counts.items()), total)
    variance = Fraction(sum(k * k * c for k, c in counts.items()), total) - mean * mean
    unlikely = sum(c for c in counts.values() if c <= here)
    far = sum(c for k, c in counts.items() if abs(k - mean) >= abs(t - mean))
    half = Fraction(here, 2 * total)
    ratios = _odds_ratios(law, tail)
    logs = {name: _logs(ratio, step) for name, ratio in ratios.items()}
    middles = [sum(logs[name]) / 2 for name in ("median_lower", "median_upper") if name in logs]
    at_most, at_least = t == max(counts), t == min(counts)
    return ExactTest(
        column=column,
        step=step,
        law=law,
        p=Fraction(unlikely, total),
        mid_p=Fraction(unlikely, total) - half,
        score_p=Fraction(far, total),
        score_mid_p=Fraction(far, total) - half,
        p_less=Fraction(sum(c for k, c in counts.items() if k <= t), total),
        p_greater=Fraction(sum(c for k, c in counts.items() if k >= t), total),
        score=(t - mean) ** 2 / variance,
        estimate=math.inf if at_most else -math.inf if at_least else sum(logs["estimate"]) / 2,
        median_unbiased=sum(middles) / len(middles),
        lower=-math.inf if at_least else logs["lower"][0],
        upper=math.inf if at_most else logs["upper"][1],
        odds_ratios=ratios,
    )


def _copies(weight: Floats) -> list[int]:
    whole = np.rint(weight)
    if (whole != weight).any():
        row = int(np.argmax(whole != weight))
        raise InputError(
            f"sample_weight is {weight[row]:g} in row {row}: exact tests count rows, so that "
            "weights must be whole numbers."
        )
    return [int(w) for w in whole]


def _degenerate(j: int, called: Sequence[str], grids: Mapping[int, Grid]) -> str:
    if len(set(grids[j].whole)) == 1 and j > 0:
        return f"no exact test of {called[j]}: the column is constant."
    return (
        f"no exact test of {called[j]}: its conditional law is degenerate, given the other columns "
        "one value of its statistic is possible. Group the values of continuous columns, leave "
        f"them out, or use likelihood intervals.{_most_values(j, called, grids)}"
    )


def _most_values(j: int, called: Sequence[str], grids: Mapping[int, Grid]) -> str:
    """Return " x2 has 90 values in 100 rows." of the column with the most, beside j."""
    values = {k: len(set(grid.whole)) for k, grid in grids.items() if k not in {0, j}}
    most = max(values, key=lambda k: values[k], default=0)
    if not most or values[most] < MANY_VALUES:
        return ""
    return f" {called[most]} has {values[most]:,} values in {len(grids[most].whole):,} rows."


def _odds_ratios(law: ConditionalLaw, tail: Fraction) -> dict[str, tuple[Fraction, Fraction]]:
    """Return brackets of e^(step b) at the estimate and the ends; those that are finite."""
    t = law.observed
    below = {k - t: c for k, c in law.counts.items() if k < t}
    above = {k - t: c for k, c in law.counts.items() if k > t}
    here = {0: law.counts[t]}

    def at_tail(q: Fraction, less: dict[int, int], more: dict[int, int]) -> Untyped:
        """Return where P(more) = q, for P(more) that grows with the odds ratio."""
        a, b = q.denominator - q.numerator, q.numerator
        return _root({k: a * c for k, c in more.items()}, {k: b * c for k, c in less.items()})

    found = {}
    if below:
        found["lower"] = at_tail(tail, below, here | above)
        found["median_lower"] = at_tail(Fraction(1, 2), below, here | above)
    if above:
        found["upper"] = at_tail(1 - tail, below | here, above)
        found["median_upper"] = at_tail(Fraction(1, 2), below | here, above)
    if below and above:
        found["estimate"] = _root(
            {k: k * c for k, c in above.items()}, {k: -k * c for k, c in below.items()}
        )
    return found


def _root(more: Mapping[int, int], less: Mapping[int, int]) -> tuple[Fraction, Fraction]:
    """Return rationals around the root of sum more_k v^k = sum less_k v^k, v > 0, proven."""
    sides = [
        (np.array(list(part), float), np.array([math.log(c) for c in part.values()]))
        for part in (more, less)
    ]

    def excess(b: float) -> float:
        over, under = (float(logsumexp(k * b + logs)) for k, logs in sides)
        return over - under

    left, right = -1.0, 1.0
    while excess(left) > 0.0:
        left *= 2.0
    while excess(right) < 0.0:
        right *= 2.0
    from scipy.optimize import brentq  # a fourteenth of a second to import

    middle = brentq(excess, left, right, xtol=1e-15, rtol=1e-15)
    for width in WIDTHS:
        low, high = _rational_exp(middle - width / 2), _rational_exp(middle + width / 2)
        if _sign(low, more, less) < 0 < _sign(high, more, less):
            return low, high
    raise InputError("an odds ratio could not be bracketed: its conditional law is too wide.")


def _rational_exp(b: float) -> Fraction:
    doublings = math.floor(b / math.log(2.0))
    return Fraction(math.exp(b - doublings * math.log(2.0))) * Fraction(2) ** doublings


def _sign(v: Fraction, more: Mapping[int, int], less: Mapping[int, int]) -> int:
    """Return the proven sign of sum more_k v^k - sum less_k v^k; 0 where it is not decided."""
    with flint.ctx.workprec(PRECISION):
        base = flint.arb(flint.fmpq(v.numerator, v.denominator))
        over, under = (_value(base, part) for part in (more, less))
        return 1 if over > under else -1 if over < under else 0


def _value(base: flint.arb, part: Mapping[int, int]) -> flint.arb:
    """Return sum c_k base^k by Horner's rule, with a bound on its rounding."""
    total, last = flint.arb(0), max(part)
    for k in sorted(part, reverse=True):
        total = total * base ** (last - k) + part[k]
        last = k
    return total * base**last


def _logs(ratio: tuple[Fraction, Fraction], step: Fraction) -> tuple[float, float]:
    """Return ln(ratio) / step, rounded outwards."""
    with flint.ctx.workprec(PRECISION):
        logs = [
            flint.arb(flint.fmpq(v.numerator, v.denominator)).log()
            / flint.fmpq(step.numerator, step.denominator)
            for v in ratio
        ]
        return (
            math.nextafter(float(logs[0].lower()), -math.inf),
            math.nextafter(float(logs[1].upper()), math.inf),
        )
