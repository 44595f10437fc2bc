"""`coefficient_table`: every coefficient with an interval, a test and, in logistic models, odds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import numpy as np

from separatrix._loading import load
from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, InputError, in_full
from separatrix.inference.estimates import Estimates, OfArrays, linear_estimates, normal_quantile
from separatrix.inference.figures import Figures
from separatrix.inference.inputs import (
    INTERCEPT,
    Asked,
    asked_in_blocks,
    read_numeric,
    read_question,
)
from separatrix.inference.intervals.intervals import quantile
from separatrix.inference.maximum import Maximum, Spread
from separatrix.inference.table import (
    LEAST_SQUARES,
    CoefficientRow,
    CoefficientTable,
    Ends,
    RatioTest,
    Unit,
    exp_of,
)
from separatrix.learners.least_squares.least_squares import few_numbers, whole_in_doubles
from separatrix.learners.logistic_regression import LogisticRegression
from separatrix.said import Said
from separatrix.scale import Block, Rows, with_constant
from separatrix.scale.opening import is_beyond_memory, refuse_in_blocks, table_in_blocks
from separatrix.tables.wording import counted, shown
from separatrix.tiles import stack_of_tiles

METHODS = {  # where the function is that finds `Estimates`, loaded when it is first used
    "likelihood": "estimates.likelihood",
    "wald": "estimates.wald",
    "exact": "exact_conditional.exact_estimates",
    "firth": "priors.firth_estimates",
    "log-f": "priors.log_f_estimates",
}
IN_BLOCKS = "likelihood", "wald"  # with a `maximum` of rows in blocks
OPTIONS = {"firth": {"enclose"}, "log-f": {"m"}}


def coefficient_table(
    table_or_X: ArrayLike,
    y: ArrayLike = None,
    level: float = 0.95,
    method: str = "likelihood",
    *,
    label: str | None = None,
    sample_weight: ArrayLike = None,
    feature_names: Sequence[str] | None = None,
    fit_intercept: bool = True,
    degree: int = 1,
    reference: Mapping[str, str] | None = None,
    test: Sequence[str | Sequence[str]] = (),
    robust: str | None = None,
    groups: ArrayLike = None,
    per: Per | None = None,
    **options: Untyped,
) -> CoefficientTable:
    """Return every coefficient with an interval and a test, from a table or from arrays.

    Parameters
    ----------
    table_or_X : Table, array (N, d) or data frame, or a table of any size
        As `judge` takes them. One that is read in blocks takes the methods "likelihood" and "wald",
        and the options `level`, `test`, `fit_intercept` and `per`.
    y : array (N,) or None
        Labels of two kinds; numbers for ``method="least squares"``.
    level : float
        Of the intervals, between 0 and 1.
    method : str
        "likelihood" (profile likelihood; `verify` proves its ends, exactly for tables of up to
        a million numbers, and by a few reads, with room for rounding, for larger ones and where
        exact arithmetic leaves an end open), "wald", "firth", "log-f", "exact", or "least squares"
        for a linear regression of numbers y.
    label : str or None
        The column of a data frame that holds the labels, in place of `y`.
    sample_weight : array (N,) or None
        A weight of k stands for k copies of the row.
    feature_names : d names or None
    fit_intercept : bool
    degree : int
        For tables: above 1, products of at most that many features.
    reference : {name of a category: level} or None
        The levels that others are compared with; else the commonest of each category.
    test : sequence of names, or of sequences of names
        Groups of columns to test together; a category stands for all its levels. With
        ``method="exact"`` only their coefficients are estimated.
    robust : None, "HC0", "HC1", "HC2" or "HC3"
        The correction of residuals behind standard errors and Wald's figures.
    groups : array (N,) or None
        Clusters of rows that depend on one another: clustered standard errors.
    per : None, "sd", a positive number, or {name of a column: either}
        What figures are per, in place of 1: the standard deviation (over N - 1), or that number of
        units, of each column; columns of zeros and ones stay as they are.
    **options
        Of the method.

    Raises
    ------
    InputError
        For data or options that cannot be used.

    Examples
    --------
    >>> table = coefficient_table([[0], [1], [2], [3]], [0, 1, 0, 1], method="wald")
    >>> [row.name for row in table.rows], round(table["x1"].estimate, 4)
    (['(Intercept)', 'x1'], 0.9082)
    """
    quantile(level)  # refuses what is no level
    level, x0 = float(level), float(fit_intercept)
    if is_beyond_memory(table_or_X):
        refused = {
            "sample_weight": sample_weight, "feature_names": feature_names, "degree": degree != 1,
            "reference": reference, "robust": robust, "groups": groups, **options,
            f"method={method!r}": method not in IN_BLOCKS,
        }  # fmt: skip
        refuse_in_blocks({
            name: given is not None and given is not False for name, given in refused.items()
        })  # fmt: skip
        rows = with_constant(table_in_blocks(table_or_X, label if y is None else y), x0)
        asked = asked_in_blocks(rows)
    elif method == LEAST_SQUARES:
        if options or label is not None or test or reference:
            raise InputError(
                f"{LEAST_SQUARES} takes X and y, weights, names, fit_intercept, robust and groups."
            )
        asked, sample = read_numeric(table_or_X, y, sample_weight, feature_names)
        rows = Rows.of(replace(sample, x0=x0))
    else:
        method_named(method)
        if unknown := sorted(set(options) - OPTIONS.get(method, set())):
            raise InputError(f"method={method!r} has no option {', '.join(unknown)}.")
        asked, sample = read_question(
            table_or_X, y, label, sample_weight, feature_names, degree, reference or {}
        )
        rows = Rows.of(replace(sample, x0=x0))
    spread = Spread.of(robust, asked.of_kept(groups))
    if not spread.usual and method not in {*IN_BLOCKS, LEAST_SQUARES}:
        raise InputError(
            f"method={method!r} has standard errors of its own: robust and groups are of the "
            f"methods {', '.join(IN_BLOCKS)}. Leave them out."
        )
    found = table_of_rows(
        asked, rows, level=level, method=method, test=test, spread=spread, **options
    )
    return in_units(found, per, asked, rows)


def method_named(name: str) -> Callable[[Rows, float, Mapping[str, Untyped]], Estimates]:
    if name not in METHODS:
        raise InputError(f"method must be one of {', '.join(METHODS)}; it is {name!r}.")
    module, _, function = METHODS[name].partition(".")
    found: Callable[..., Estimates] = getattr(load(f"separatrix.inference.{module}"), function)
    return found


def table_of_rows(
    asked: Asked,
    rows: Rows,
    *,
    level: float = 0.95,
    method: str = "likelihood",
    test: Sequence[str | Sequence[str]] = (),
    spread: Spread | None = None,
    learner: LogisticRegression | None = None,  # a fit of rows that are read
    **options: Untyped,
) -> CoefficientTable:
    """Return the table of checked rows whose columns have names; as `coefficient_table`."""
    few, held, spread = few_numbers(rows), rows.in_memory, spread or Spread()
    about: dict[str, Untyped] = {"method": method, "level": level}
    if method == LEAST_SQUARES:
        found, of_line = linear_estimates(rows.whole(), level, spread)
        open_ones = frozenset(np.flatnonzero(np.isnan(found.estimate)).tolist())
        return _made(asked, found, of_line, open_ones, spread=str(spread), **about)
    if few:  # what exact arithmetic can check, wherever the rows are
        sample = whole_in_doubles(rows)
        spread, maximum = spread.only(sample.weight > 0.0), Maximum.of(sample)
        rows = maximum.rows
    elif learner is None:
        maximum = Maximum.fitted(rows)
    else:
        maximum = Maximum.near(rows, learner)
    if method == "exact" and test:  # of all columns it may take long, or be degenerate
        options["columns"] = sorted({j for group in test for j in asked.columns(group)})
    known = {"maximum": maximum, "spread": spread, "names": asked.names}
    found = method_named(method)(rows, level, {**known, **options})
    if held is not None:
        found = replace(found, proofs=[OfArrays.of(proof, held.weight) for proof in found.proofs])
    about["tests"] = tuple(_tested(asked, maximum, found, group) for group in test)
    return _made(asked, found, maximum.figures(), maximum.open_ones, spread=str(spread), **about)


def _tested(
    asked: Asked, maximum: Maximum, found: Estimates, group: str | Sequence[str]
) -> RatioTest:
    """Return the test of a group of columns by the likelihood, or by the method's own ratio."""
    columns = asked.columns(group)
    if found.ratio is None:
        fewer = maximum.without(columns)
        chi2 = max(0.0, 2.0 * (maximum.log_likelihood - fewer.log_likelihood))
        degrees = maximum.n_parameters - fewer.n_parameters
    else:
        determined = [j for j in columns if j not in maximum.undetermined]
        chi2, degrees = found.ratio(determined), len(determined)
    names = (INTERCEPT, *asked.names)
    title = group if isinstance(group, str) else ", ".join(group)
    return RatioTest.of(title, tuple(names[j] for j in columns), chi2, degrees)


def _made(
    asked: Asked, found: Estimates, figures: Figures, undetermined: AbstractSet[int],
    **about: Untyped,
) -> CoefficientTable:  # fmt: skip
    linear = about["method"] == LEAST_SQUARES
    with np.errstate(all="ignore"):
        z = found.estimate / found.standard_error
        far = normal_quantile(about["level"]) * found.standard_error
        odds = np.full(z.size, np.nan) if linear else np.exp(found.estimate)
    lower, upper = found.lower, found.upper
    wald = (lower, upper) if linear else (found.estimate - far, found.estimate + far)
    names = (INTERCEPT, *asked.names)
    figures_of = (
        found.estimate, found.standard_error, z, *wald, lower, upper, odds, found.chi2, found.p,
    )  # fmt: skip
    first = 1 - figures.n_null
    values = np.stack((found.estimate, found.lower, found.upper, found.p))
    empty = np.asarray(np.isnan(values).all(axis=0))
    rows = tuple(
        CoefficientRow(names[j], *(float(of_all[j]) for of_all in figures_of))
        for j in range(first, len(names))
        if not empty[j] or j in undetermined  # methods may be asked about some columns only
    )
    lacking = counted(asked.n_dropped, "row")
    dropped = [Said("{rows} dropped because a value is missing.", rows=lacking)]
    dropped = dropped if asked.n_dropped else []
    brackets: dict[str, tuple[Ends, Ends]] = {}
    for j, (below, above) in enumerate([] if found.brackets is None else found.brackets.tolist()):
        if j >= first and not all(map(math.isnan, (*below, *above))):
            brackets[names[j]] = tuple(below), tuple(above)
    return CoefficientTable(
        rows, figures=figures, brackets=brackets, notes=(*found.notes, *dropped),
        source=asked.source, question=asked.question, proofs=tuple(found.proofs),
        undetermined=tuple(names[j] for j in sorted(undetermined)), reference=asked.reference,
        **about,
    )  # fmt: skip


Per = str | float | Mapping[str, str | float]

SCALED = "estimate", "standard_error", "wald_lower", "wald_upper", "lower", "upper"
AWAY = [
    [np.inf, -np.inf],
    [-np.inf, np.inf],
]  # where rounding leaves brackets too wide, never small


def in_units(
    table: CoefficientTable, per: Per | None, asked: Asked, rows: Rows
) -> CoefficientTable:
    """Return the table with coefficients per units of the columns of rows (N, d)."""
    if per is None:
        return table
    units, brackets = _units(per, asked, rows), dict(table.brackets)
    scaled = {row.name: _scaled(row, units[row.name]) for row in table.rows if row.name in units}
    for name in brackets.keys() & scaled.keys():
        ends = np.array(brackets[name]) * units[name].size
        (a, b), (c, d) = np.where(np.isinf(ends), ends, np.nextafter(ends, AWAY)).tolist()
        brackets[name] = (a, b), (c, d)
        inside = {"lower": a, "upper": c}
        known = {side: end for side, end in inside.items() if not math.isnan(end)}
        scaled[name] = scaled[name]._replace(**known)
    return replace(
        table,
        rows=tuple(scaled.get(row.name, row) for row in table.rows),
        brackets=brackets,
        units={name: units[name] for name in scaled},
    )


def _units(per: Per, asked: Asked, rows: Rows) -> dict[str, Unit]:
    """Return the unit of each column; one of zeros and ones has none: levels are compared."""
    if isinstance(per, Mapping):
        wanted = {j: _size(size) for name, size in per.items() for j in asked.columns(name)}
    else:
        wanted = dict.fromkeys(range(1, len(asked.names) + 1), _size(per))
    names, deviations, units = (INTERCEPT, *asked.names), _deviations(rows), {}
    for j, size in wanted.items():
        deviation = float(deviations[j - 1]) if j else 0.0
        if deviation > 0.0:
            units[names[j]] = Unit(size or deviation, is_deviation=not size)
        elif isinstance(per, Mapping):
            raise InputError(
                f"per: {shown(names[j])} has no units; columns of numbers have that hold more than "
                "0 and 1. Leave it out."
            )
    return units


def _size(size: str | float) -> float:
    """Return how many units a coefficient is per; 0 for a standard deviation."""
    if size == "sd":
        return 0.0
    try:
        number = 0.0 if isinstance(size, bool) else float(size)
    except (TypeError, ValueError):
        number = 0.0
    if not 0.0 < number < math.inf:
        raise InputError(f"per holds {size!r}: give sd or a positive number, such as 10.")
    return number


def _scaled(row: CoefficientRow, unit: Unit) -> CoefficientRow:
    found = {name: getattr(row, name) * unit.size for name in SCALED}
    if any(math.isinf(v) > math.isinf(getattr(row, name)) for name, v in found.items()):
        raise InputError(f"per: {shown(row.name)} per {unit} is too large for doubles.")
    odds = row.odds_ratio if math.isnan(row.odds_ratio) else exp_of(found["estimate"])
    return row._replace(**found, odds_ratio=odds)


def _deviations(rows: Rows) -> Floats:
    """Return the standard deviation (d,), over N - 1, of columns; 0 of those of zeros and ones."""
    n, total, _, others = rows.sum(_sums, np.zeros(rows.d))
    with np.errstate(all="ignore"):
        found = np.sqrt(rows.sum(_sums, total / n)[2] / (n - 1.0))
    return np.where((others > 0.0) & np.isfinite(found), found, 0.0)


def _sums(block: Block, centre: Floats) -> Floats:
    """Return sums over tiles (tiles, 4, d): weights, x, (x - centre)^2, and x not 0 or 1."""
    of = block.sample

    def part(tile: slice) -> Floats:
        X, weight = in_full(of.X[tile]).astype(np.float64), of.weight[tile]
        with np.errstate(over="ignore"):
            squares = weight @ (X - centre) ** 2
        others = weight @ ((X != 0.0) & (X != 1.0))
        return np.array([np.full(X.shape[1], weight.sum()), weight @ X, squares, others])

    return stack_of_tiles(block.n, part)
