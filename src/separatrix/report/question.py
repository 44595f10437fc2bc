"""What is proven about one yes / no question: separability, the fewest mistakes, bounds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix.report.wording import (
    MOST_COLUMNS,
    Section,
    bound_in_words,
    capital,
    joined,
    percent,
    plain,
    short,
)
from separatrix.report.words import ENGLISH_WORDS, Words
from separatrix.tables import CategoryEncoding, Encoding
from separatrix.tables.wording import counted
from separatrix.verdict import Verdict
from separatrix.verdict.candidates import is_logistic
from separatrix.verdict.findings import MOST
from separatrix.zero_one.minimum_errors import NOT_COMPARED

UNCHECKED = "shown by a search whose arithmetic is rounded outwards (--proof writes a proof)"
WAYS = {1: "+inf", -1: "-inf", 0: "±inf"}
INFINITE = (
    "Logistic regression without a penalty has no finite coefficients: {why}, so the likelihood "
    "keeps rising as the coefficients below grow. Merge or drop the levels or columns named, or "
    "use separatrix infer: likelihood intervals, or finite estimates by --firth or --penalty."
)
EXIST = {
    "overlapping": "The coefficients of a logistic regression are finite: in every direction in "
    "which they could grow, some row gets worse without bound (proven).",
    "separable": INFINITE.format(why="a line makes no mistake"),
    "touching": INFINITE.format(
        why="a line has no row on its wrong side, only rows on the line itself"
    ),
    "undecided": "Whether the coefficients of a logistic regression are finite is undecided.",
}


def separability_in_words(verdict: Verdict) -> str:
    """Return whether a line separates the rows, and the witness."""
    proof = verdict.separability
    if proof.verdict == "undecided":
        return f"Undecided whether a line separates the rows: {proof.reason}."
    if proof.verdict == "separable":
        return (
            f"Linearly separable, proven: a line puts all {counted(verdict.table.n_rows, 'row')} "
            "strictly on their own side (every sign checked in exact arithmetic on the doubles "
            f"that the numbers were read as).{_about_what(verdict)}"
        )
    touching = (
        " Some line has no row on its wrong side, only rows on the line itself (quasi-complete "
        "separation)."
    )
    return (
        f"Not linearly separable, proven: {_contradiction(verdict)}"
        f"{touching if proof.verdict == 'touching' else ''}{_about_what(verdict)}"
    )


def separable_in_short(verdict: Verdict, words: Words = ENGLISH_WORDS) -> str:
    """Return "yes, proven"."""
    known = {True: "yes_proven", False: "no_proven", None: "not_decided"}
    return words(known[verdict.separability.separable])


def _about_what(verdict: Verdict) -> str:
    """Return which table a proof is about, where that is not quite the one in the file."""
    products, rows = products_in_words(verdict.encoding), counted(verdict.n_filled, "row")
    filled = f" This is about the table as filled ({rows} had values missing)."
    return (f" {products}" if products else "") + (filled if verdict.n_filled else "")


def products_in_words(encoding: Encoding) -> str:
    """Return what a feature transform means for what is proven; "" without one."""
    if encoding.monomials is None:
        return ""
    return (
        f"This is about products of up to {encoding.monomials.degree} columns, each rounded to a "
        "double."
    )


def _contradiction(verdict: Verdict) -> str:
    table = verdict.table
    where = f"file {table.line_word}" if table.sha256 else table.line_word
    question = verdict.question
    lines = [
        f"{line} of {plain(file, 40)}" if file else str(line)
        for line, file in zip(question.witness_lines, question.witness_files, strict=True)
    ]
    if len(lines) == 2:
        return f"{where}s {joined(lines)} have the same values and opposite answers."
    return (
        f"{where}s {joined(lines)} contradict each other. A weighted average of the yes rows among "
        "them equals one of the no rows (checked in exact arithmetic), so every line gets at least "
        "one of them wrong."
    )


# ---------------------------------------------------------------------- infinite coefficients


def infinite_signs(verdict: Verdict, most: int = MOST) -> dict[int, str]:
    """Return the coefficients without a finite optimum: {index in (1+d): "+inf"}."""
    proof = verdict.separability
    ways = proof.diverging if len(proof.divergent) <= most else {}
    known = {j: WAYS[way] for j, way in ways.items() if j not in proof.directionless}
    return {j: known.get(j, "inf") for j in proof.divergent}


def infinite_weights(verdict: Verdict) -> dict[int, str]:
    """Return those of `infinite_signs` that the selected model has: none unless it is logistic."""
    best = verdict.winner
    return infinite_signs(verdict) if is_logistic(best.name) and not best.probabilities else {}


# ---------------------------------------------------------------------- the fewest mistakes


def fewest_in_short(verdict: Verdict, words: Words = ENGLISH_WORDS) -> str:
    """Return how few mistakes any line makes, as a figure: "66, proven" or "5 to 53"."""
    found = verdict.fewest_mistakes
    upper = amount(found.exact_upper)
    if not found.proven:
        return words("from_to", lower=amount(found.exact_lower), upper=upper)
    proven = verdict.fewest_checked or verdict.separability.separable
    return words("shown_proven", figure=upper) if proven else upper


def fewest_in_words(verdict: Verdict) -> list[str]:
    """Return how few mistakes any line makes; nothing where a line makes none."""
    if verdict.separability.separable:
        return []
    found = verdict.fewest_mistakes
    how = "proven" if verdict.fewest_checked else UNCHECKED
    if verdict.in_blocks and not verdict.fewest_checked:
        how = UNCHECKED.partition(" (")[0]
    lower = amount(found.exact_lower)
    least = f"{lower} mistake{'' if found.exact_lower == 1 else 's'}"
    if verdict.table.weight is not None:
        least = f"mistakes of weight {lower}"
    least = f"Any line makes at least {least} on these rows, {how}"
    if found.proven:
        return [f"{least}; a line that makes no more was found. {_beside_the_learners(verdict)}"]
    longer = ": --fewest-seconds 60 searches for a minute"
    return [
        f"{least}; the best line found makes {amount(found.exact_upper)}. "
        f"{_beside_the_learners(verdict)} The fewest of any line is open ({found.reason})"
        f"{'' if found.reason == NOT_COMPARED else longer}."
    ]


def _beside_the_learners(verdict: Verdict) -> str:
    """Return whether the line beats those of the learners, the constant answers among them."""
    best = min(verdict.results, key=lambda r: r.e_in)
    if verdict.table.weight is None:
        beaten = verdict.fewest_mistakes.exact_upper < best.n_errors
    else:  # shares are rounded sums
        share = verdict.fewest_mistakes.upper / verdict.table.total_weight
        beaten = share < best.e_in * (1.0 - 1e-9)
    if not beaten:
        return f"{capital(best.name)} found one."
    own = counted(best.n_errors, "mistake")
    return f"No learner found that line: {best.name} comes closest with {own}."


def amount(value: Fraction) -> str:
    """Return a sum of weights: whole, or to six digits."""
    return f"{value.numerator:,}" if value.denominator == 1 else f"about {float(value):.6g}"


# ---------------------------------------------------------------------- bounds


def course_section(verdict: Verdict) -> Section | None:
    """Return PLA beside its bound (lecture 2), in exact numbers; None unless separable."""
    proof = verdict.separability
    if proof.rho_squared is None:
        return None
    pla = verdict.result("PLA")
    seen = "" if pla is None or verdict.pla_bound is None else (
        f"On the standardised columns that PLA saw it made T = {pla.n_updates:,} updates "
        f"({pla.stopped}); its bound there is {bound_in_words(verdict.pla_bound)}."
    )  # fmt: skip
    lower, upper = (f"{width:.6g}" for width in verdict.street or (0.0, 0.0))
    wide = lower if lower == upper else f"between {lower} and {upper}"
    street = (
        f"The widest empty street between yes and no is {wide} wide, in the units of the "
        "features: a support vector machine makes it as wide as it can. It is measured in x "
        "and is not the margin rho."
    )
    return Section(
        "PLA and its bound",
        (
            "For the line of the proof, measured in (1, x) with w_0 counted: margin squared rho^2 "
            f"= {short(proof.rho_squared)}, radius squared R^2 = "
            f"{short(proof.radius_squared)} (exact rationals, in full with --json). So PLA "
            f"from zero on the table's own columns makes at most floor(R^2 / rho^2) = "
            f"{bound_in_words(proof.mistake_bound or 0)} updates. {seen}",
            *([] if verdict.street is None else [street]),
        ),
    )


def outside_section(verdict: Verdict) -> Section:
    """Return what theory says about E_out, each with what it assumes (lecture 7)."""
    estimate = (
        "The cross-validated error is an estimate without such a guarantee: the folds share rows, "
        "and the model was selected by it. Use a held-out test set for a guarantee."
    )
    if verdict.unbounded:
        return Section("Generalisation", (f"No bound holds: {verdict.unbounded}.", estimate))
    most = [
        f"no information ({'> ' if b.value > 1.0 else ''}100 %)" if b.vacuous else percent(b.value)
        for b in verdict.bounds
    ]
    return Section(
        "Generalisation",
        (),
        ("bound", "about", "at most"),
        tuple((b.name, b.about, said) for b, said in zip(verdict.bounds, most, strict=True)),
        (*(f"{b.name}: {b.assumptions}" for b in verdict.bounds), estimate),
    )


@dataclass(frozen=True, slots=True)
class Infinite:
    """A coefficient without a finite value."""

    name: str  # of the feature, or "(intercept)"
    sign: str  # "+inf", "-inf", "±inf", or "inf" where the direction is not known
    column: str | None  # the column whose level it is; None for other features
    rows: int
    yes: int


def infinite_of(verdict: Verdict, most: int = MOST) -> list[Infinite]:
    """Return every infinite coefficient, the intercept first."""
    columns = {
        feature: how.name
        for how in verdict.encoding.columns
        if isinstance(how, CategoryEncoding)
        for feature in how.feature_names
    }
    names = ("(intercept)", *verdict.features)
    X, of_yes = verdict.question.points, verdict.question.sample.y > 0
    found = []
    for j, sign in infinite_signs(verdict, most).items():
        column = columns.get(names[j]) if j else None
        rows = yes = 0
        if j:
            values = X[:, j - 1] if isinstance(X, np.ndarray) else X[:, [j - 1]].toarray().ravel()
            has = values != 0.0
        is_level = j > 0 and (column is not None or bool(np.all(values[has] == 1.0)))
        if is_level and verdict.table.n_rows == of_yes.size:  # else these are some rows only
            rows, yes = int(has.sum()), int((has & of_yes).sum())
        found.append(Infinite(names[j], sign, column, rows, yes))
    return found


def finite_section(verdict: Verdict) -> Section:
    """Return whether all coefficients are finite, and those that are not; of all the first ones."""
    proof, found = verdict.separability, infinite_of(verdict, MOST_COLUMNS)
    shown = found if len(found) <= len(verdict.features) else found[:MOST_COLUMNS]
    names = ("(intercept)", *verdict.features)
    same = [plain(names[j]) for j in proof.aliased]
    said = [EXIST[proof.verdict]]
    if same:
        said.append(
            "Not determined one by one, because their columns are collinear with others: "
            f"{joined(same, MOST_COLUMNS)}."
        )
    below = []
    if any(c.column for c in shown):
        below.append(
            "Of a level: how many rows have it, and how many of them the label asked about."
        )
    if len(shown) < len(found):
        below.append(f"{len(found) - len(shown):,} more in --json.")
    return Section(
        "Finite coefficients?",
        tuple(said),
        ("estimate", "rows", f"of them {plain(verdict.table.yes, 20)}", "coefficient"),
        tuple(
            (c.sign, *((f"{n:,}" if c.column else "-") for n in (c.rows, c.yes)), plain(c.name))
            for c in shown
        ),
        tuple(below),
    )
