"""Sections about one question: finite coefficients, their table, PLA and its bound, E_out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from separatrix.inference.probabilities import ProbabilityFigures, Reliability
from separatrix.report.wording import MOST_COLUMNS, Section, capital, percent, plain
from separatrix.report.words import SPOKEN, again, say
from separatrix.said import Own
from separatrix.verdict import Verdict

if TYPE_CHECKING:  # nothing of it is loaded where it is not shown
    from separatrix.inference.table import CoefficientRow
from separatrix.report.findings import fit_in_words, infinite_of
from separatrix.report.wording import (
    bound_in_words,
    joined,
    short,
)


def course_section(verdict: Verdict) -> Section | None:
    """Return PLA beside its bound (lecture 2), in exact numbers; None unless separable."""
    proof = verdict.separability
    if proof.rho_squared is None:
        return None
    pla = verdict.result("PLA")
    seen = "" if pla is None or verdict.pla_bound is None else say(
        "On the standardised columns that PLA saw it made T = {t:,} updates ({stopped}); its bound "
        "there is {bound}.",
        t=pla.n_updates, stopped=say(pla.stopped), bound=bound_in_words(verdict.pla_bound),
    )  # fmt: skip
    lower, upper = (f"{width:.6g}" for width in verdict.street or (0.0, 0.0))
    wide = lower if lower == upper else say("between {lower} and {upper}", lower=lower, upper=upper)
    street = say(
        "The widest empty street between yes and no is {wide} wide, in the units of the features: "
        "a support vector machine makes it as wide as it can. It is measured in x and is not the "
        "margin rho.",
        wide=wide,
    )
    return Section(
        "PLA and its bound",
        (
            say(
                "For the line of the proof, measured in (1, x) with w_0 counted: margin squared "
                "rho^2 = {rho}, radius squared R^2 = {radius} (exact rationals, in full with "
                "--json). So PLA from zero on the table's own columns makes at most "
                "floor(R^2 / rho^2) = {bound} updates. {seen}",
                rho=short(proof.rho_squared),
                radius=short(proof.radius_squared),
                bound=bound_in_words(proof.mistake_bound or 0),
                seen=seen,
            ),
            *([] if verdict.street is None else [street]),
        ),
    )


def outside_section(verdict: Verdict) -> Section:
    """Return what theory says about E_out, each with what it assumes (lecture 7)."""
    estimate = say(
        "The cross-validated error is an estimate without such a guarantee: the folds share rows, "
        "and the model was selected by it. Use a held-out test set for a guarantee."
    )
    if verdict.unbounded:
        none = say("No bound holds: {why}.", why=say(verdict.unbounded))
        return Section("Generalisation", (none, estimate))
    most = [
        say("no information ({more}100 %)", more="> " * (b.value > 1.0))
        if b.vacuous
        else percent(b.value)
        for b in verdict.bounds
    ]
    return Section(
        "Generalisation",
        (),
        ("bound", "about", "at most"),
        tuple(
            (say(b.name), SPOKEN.get().name(b.about), said)
            for b, said in zip(verdict.bounds, most, strict=True)
        ),
        (
            *(
                say("{name}: {said}", name=say(b.name), said=again(b.assumptions))
                for b in verdict.bounds
            ),
            estimate,
        ),
    )


def finite_section(verdict: Verdict) -> Section:
    """Return whether all coefficients are finite, and those that are not; of all the first ones."""
    proof, found = verdict.separability, infinite_of(verdict, MOST_COLUMNS)
    shown = found if len(found) <= len(verdict.features) else found[:MOST_COLUMNS]
    names = (say("(intercept)"), *verdict.features)
    same = [plain(names[j]) for j in proof.aliased]
    said = [fit_in_words(verdict)]
    if same:
        said.append(
            say(
                "Not determined one by one, because their columns are collinear with others: "
                "{columns}.",
                columns=joined(same, MOST_COLUMNS),
            )
        )
    below = []
    if any(c.column for c in shown):
        below.append(
            say("Of a level: how many rows have it, and how many of them the label asked about.")
        )
    if len(shown) < len(found):
        below.append(say("{n:,} more in --json.", n=len(found) - len(shown)))
    return Section(
        "Finite coefficients?",
        tuple(said),
        (
            "coefficient",
            "estimate",
            "rows",
            Own(say("of them {yes}", yes=plain(verdict.table.yes, 20))),
        ),
        tuple(
            (plain(c.name), c.sign, *((f"{n:,}" if c.column else "-") for n in (c.rows, c.yes)))
            for c in shown
        ),
        tuple(below),
    )


NAME = 30
TITLE = "Coefficients (logistic regression)"


def coefficient_section(verdict: Verdict) -> Section:
    """Return estimates with intervals, odds ratios and tests; of many rows the clearest ones."""
    table = verdict.coefficients
    if table is None:
        said = "The table is large: separatrix infer gives estimates, intervals and tests of it."
        return Section(TITLE, (say(LEFT_OUT if verdict.logistic is None else said),))
    from separatrix.inference.figures import p_value
    from separatrix.inference.inputs import INTERCEPT
    from separatrix.inference.printing import column

    shown = clearest(table.rows, MOST_COLUMNS)
    hidden = len(table.rows) - len(shown)
    more = say("{n:,} more with larger p-values: separatrix infer.", n=hidden) if hidden else ""
    ways_on = "Firth's and exact tests, groups of columns"
    if verdict.in_blocks:
        ways_on = "likelihood intervals, groups of columns"
    (low, high), (down, up) = table.percents, table.outwards
    tested = [table.test_name] if table.method == "likelihood" else []
    cells = [
        [say(INTERCEPT) if row.name == INTERCEPT else plain(row.name, NAME) for row in shown],
        column([row.estimate for row in shown]),
        column([row.standard_error for row in shown]),
        column([row.lower for row in shown], way=down),
        column([row.upper for row in shown], way=up),
        [text.lstrip("+") for text in column([row.odds_ratio for row in shown], 3)],
    ]
    if tested:
        cells.append(["-" if math.isnan(row.chi2) else f"{row.chi2:.2f}" for row in shown])
    cells.append([p_value(row.p) for row in shown])
    return Section(
        TITLE,
        (
            say(
                "{title}. More in separatrix infer: {ways}.",
                title=again(table.title),
                ways=say(ways_on),
            ),
            *map(again, table.sentences()),
        ),
        ("coefficient", "estimate", "std. error", low, high, "odds ratio", *tested, "p"),
        tuple(zip(*cells, strict=True)),
        tuple(s for s in (more, *map(again, table.figures.lines())) if s),
    )


def clearest(rows: Sequence[CoefficientRow], most: int) -> tuple[CoefficientRow, ...]:
    """Return at most `most` rows in their order: infinite ones and those of small p."""

    def unclear(row: CoefficientRow) -> tuple[bool, float]:
        return not math.isinf(row.estimate), math.inf if math.isnan(row.p) else row.p

    kept = {row.name for row in sorted(rows, key=unclear)[:most]}
    return tuple(row for row in rows if row.name in kept)


DOUBTFUL = 0.05
TITLE_OF_PROBABILITIES = "What the probabilities are worth"
NONE = (
    "Logistic regression has no finite optimum, so that it gives no probabilities to assess. With "
    "a penalty (learn --penalty 1, or firth; judge(..., penalty=1)) it has one."
)
LEFT_OUT = "Logistic regression took no part: --learners leaves it out."
NONE_IN_FOLDS = (
    "Not assessed on rows left out: without the rows of some fold logistic regression has no "
    "finite optimum, and so no probabilities."
)


def probabilities_section(verdict: Verdict) -> Section:
    """Return how well they order rows, and whether they can be believed."""
    found = verdict.probabilities
    if found is None:
        result = verdict.logistic
        why = NONE_IN_FOLDS if result and result.probabilities else NONE
        return Section(TITLE_OF_PROBABILITIES, (say(why if result else LEFT_OUT),))
    where = (
        "{name} on the very rows that it was fitted to, as there are no folds: all figures are too "
        "good for new rows."
    )
    if found.held_out:
        where = (
            "{name} on rows left out: each of the {n} folds got its probabilities from a line "
            "fitted without it."
        )
    name = capital(SPOKEN.get().name(verdict.logistic.name if verdict.logistic else ""))
    told = say(where, name=name, n=verdict.n_folds)
    return Section(TITLE_OF_PROBABILITIES, (told, *figures_in_words(found)))


def figures_in_words(found: ProbabilityFigures) -> tuple[str, ...]:
    """Return what orders rows, what probabilities miss by, and where the curve leaves its band."""
    interval = ""
    if math.isfinite(found.auc_error):
        low, high = found.auc_interval
        interval = say(
            " ({level:g} % interval {low:.3f} to {high:.3f}, DeLong's)",
            level=100 * found.level, low=low, high=high,
        )  # fmt: skip
    miscalibration, discrimination, uncertainty = found.parts_of_brier
    share = found.share_of_yes
    guess = -sum(p * math.log(p) for p in (share, 1.0 - share))
    return (
        say(
            "Order: AUC {auc:.3f}{interval}: the share of pairs of a yes and a no row in which the "
            "yes row gets the higher probability. Gini {gini:.3f}, KS {ks:.3f}.",
            auc=found.auc,
            interval=interval,
            gini=found.gini,
            ks=found.ks,
        ),
        say(
            "Accuracy: Brier score {brier:.4f} = miscalibration {off:.4f} - discrimination "
            "{apart:.4f} + uncertainty {unsure:.4f} (guessing {share} for every row); log loss "
            "{loss:.4f} (guessing {guess:.4f}).",
            brier=found.brier,
            off=miscalibration,
            apart=discrimination,
            unsure=uncertainty,
            share=percent(share),
            loss=found.log_loss,
            guess=guess,
        ),
        _calibration(found.reliability),
    )


def _calibration(curve: Reliability) -> str:
    drawn = say(
        "{share} of labels drawn with these probabilities miss them by as much (isotonic "
        "regression)",
        share=percent(curve.p_value),
    )
    if curve.p_value >= DOUBTFUL:
        return say("Calibration: nothing speaks against these probabilities; {drawn}.", drawn=drawn)
    outside = (curve.observed < curve.lower) | (curve.observed > curve.upper)
    excess = curve.weight @ (curve.observed - curve.probability)
    p, where = curve.probability[outside], ""
    if p.size:
        where = say(
            ", for {share} of the rows, with {low:.3g} to {high:.3g}",
            share=percent(1.0 - curve.share_inside), low=p.min(), high=p.max(),
        )  # fmt: skip
    return say(
        "Calibration: these probabilities are off; {drawn}. Yes is on the whole {way} frequent "
        "than was said; the curve leaves its {level:g} % band{where}.",
        drawn=drawn, way=say("more" if excess > 0.0 else "less"), level=100 * curve.level,
        where=where,
    )  # fmt: skip
