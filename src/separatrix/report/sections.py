"""The verdict in the reader's order, as plain sentences and tables: what every report shows."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction

from separatrix.data import shortened
from separatrix.report.fewest import fewest_in_words
from separatrix.separation.decide import Separability
from separatrix.tables import CategoryColumn, Encoding, Table
from separatrix.tables.wording import counted
from separatrix.verdict import JointResult, LearnerResult, Verdict

MOST_COLUMNS = 40
MOST_LINES = 12


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a report: a title, sentences, perhaps a table, and sentences below it."""

    title: str
    sentences: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    below: tuple[str, ...] = ()


def sections(verdict: Verdict) -> list[Section]:
    """Return the whole verdict, in the reader's order."""
    parts = [answer_section(verdict)]
    if verdict.warnings:
        parts.append(beware_section(verdict))
    parts += [learners_section(verdict), line_section(verdict)]
    if verdict.separability.verdict == "separable":
        parts.append(course_section(verdict))
    return [*parts, outside_section(verdict), data_section(verdict)]


# ---------------------------------------------------------------------- words


def plain(text: str, most: int = 60) -> str:
    """Return a name as it can be shown anywhere: no control or direction marks, not too long."""
    kept = (
        c if unicodedata.category(c) not in ("Cc", "Cf", "Zl", "Zp") else f"\\u{ord(c):04x}"
        for c in text
    )
    return shortened("".join(kept), most)


def percent(share: float | None) -> str:
    """Return a share as a percentage with two decimals."""
    return "-" if share is None else f"{100 * share:.2f} %"


def with_spread(r: LearnerResult | JointResult) -> str:
    """Return the error on rows left out: "3.00 % +- 4.47", or "-"."""
    spread = "" if r.cv_spread is None else f" +- {100 * r.cv_spread:.2f}"
    return percent(r.cv_error) + spread


def seconds(value: float) -> str:
    """Return a duration in words that fit a column."""
    return f"{value:.2f} s" if value >= 0.1 else f"{1000 * value:.1f} ms"


def joined(items: Sequence[str], most: int = MOST_LINES) -> str:
    """Return "a, b and c", shortened."""
    if len(items) > most:
        return ", ".join(items[:most]) + f" and {len(items) - most} more"
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + f" and {items[-1]}"


def short(value: Fraction) -> str:
    """Return a rational with six digits, however large or small it is."""
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 6, MAX_EMAX, MIN_EMIN
        text = f"{Decimal(value.numerator) / Decimal(value.denominator):g}"
    return text.lower()


def bound_in_words(n: int) -> str:
    """Return "2,000", and a bound too long for anybody to read to six digits."""
    return f"{n:,}" if n < 10**100 else f"about {short(Fraction(n))}"


def sentence(text: str) -> str:
    """Return a finding as a sentence that is safe to show."""
    shown = plain(text, 600)
    return shown[:1].upper() + shown[1:] + ("" if shown.endswith("?") else ".")


# ---------------------------------------------------------------------- the answer


def answer_section(verdict: Verdict) -> Section:
    """Return what came out, in sentences."""
    return Section(
        "The answer",
        (separability_in_words(verdict), *fewest_in_words(verdict), *_winner_in_words(verdict)),
    )


def beware_section(verdict: Verdict) -> Section:
    """Return what to know about the columns before believing any line."""
    return Section("Beware", tuple(sentence(w) for w in verdict.warnings))


def separability_in_words(verdict: Verdict) -> str:
    """Return whether a line separates the rows, and the witness."""
    proof = verdict.separability
    if proof.verdict == "undecided":
        return f"Undecided whether a line separates the rows: {proof.reason}."
    if proof.verdict == "separable":
        return (
            f"Linearly separable, proven: a line puts all {counted(verdict.table.y.size, 'row')} "
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


def _about_what(verdict: Verdict) -> str:
    """Return which table a proof is about, where that is not quite the one in the file."""
    parts = [products_in_words(verdict.encoding)]
    if verdict.n_filled:
        rows = counted(verdict.n_filled, "row")
        parts.append(f"This is about the table as filled ({rows} had values missing).")
    return "".join(f" {part}" for part in parts if part)


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
    lines = [str(line) for line in verdict.witness_lines]
    if len(lines) == 2:
        return f"{where}s {joined(lines)} have the same values and opposite answers."
    return (
        f"{where}s {joined(lines)} already contradict each other. A mixture of the yes rows among "
        "them equals a mixture of the no rows (checked in exact arithmetic), so every line gets at "
        "least one of them wrong."
    )


def _winner_in_words(verdict: Verdict) -> list[str]:
    best = verdict.winner
    n = verdict.table.y.size
    weighed = "" if verdict.table.weight is None else f", {percent(best.e_in)} by weight"
    made = f"{_mistakes(best)} in {n:,}{weighed}"
    text = f"The line to take: {best.name}. On these rows it makes {made}."
    if best.cv_error is None:
        return [text, "It could not be cross-validated; see the notes."]
    return [
        text,
        f"On rows left out it errs {with_spread(best)} "
        f"(mean and standard deviation over {counted(verdict.n_folds, 'fold')}). "
        f"{_against_the_others(verdict)} "
        f"{optimism_in_words(verdict.optimism, len(verdict.results))}",
        *_no_mistakes_elsewhere(verdict),
    ]


def _mistakes(r: LearnerResult) -> str:
    """Return "5 mistakes (3 wrong yes, 2 wrong no)"."""
    if r.n_errors == 0:
        return "no mistake"
    on_line = r.n_errors - r.n_wrong_yes - r.n_wrong_no
    more = f", {on_line:,} no rows on the line" if on_line else ""
    split = f"{r.n_wrong_yes:,} wrong yes, {r.n_wrong_no:,} wrong no{more}"
    return f"{counted(r.n_errors, 'mistake')} ({split})"


def _against_the_others(verdict: Verdict) -> str:
    """Return how far the winner is from the best constant answer and from its rivals."""
    best = verdict.winner
    always = min(verdict.constants, key=_left_out)
    if best in verdict.constants:
        return "No line did better on rows left out than the same answer for everybody."
    text = f"{always.name.capitalize()} errs {percent(always.cv_error)}."
    reach = _left_out(best) + (best.cv_spread or 0.0)
    rivals = [r.name for r in verdict.results if r is not best and _left_out(r) <= reach]
    return f"{text} Within its spread: {joined(rivals)}." if rivals else text


def _left_out(r: LearnerResult) -> float:
    return 1.0 if r.cv_error is None else r.cv_error


def optimism_in_words(optimism: float | None, n_learners: int) -> str:
    """Return by how much choosing the best of the learners flatters it."""
    if optimism is None:
        return ""
    by = 100 * optimism
    if by < 0.005:
        return f"Choosing the best of {n_learners} did not flatter that figure measurably."
    return (
        f"Choosing the best of {n_learners} makes that figure too good by about {by:.2f} "
        "percentage points (Tibshirani & Tibshirani 2009)."
    )


def _no_mistakes_elsewhere(verdict: Verdict) -> list[str]:
    """Return why a line without mistakes was not taken, where there is one."""
    if not verdict.separability.separable or verdict.winner.n_errors == 0:
        return []
    clean = [r for r in verdict.results if r.n_errors == 0]
    if not clean:
        return [
            "Lines without any mistake on these rows exist, as proven; no learner here met one."
        ]
    errs = joined([f"{r.name} {percent(r.cv_error)}" for r in clean])
    return [
        f"Lines without any mistake on these rows exist, but err no less on rows left out: {errs}."
    ]


# ---------------------------------------------------------------------- tables


def learners_section(verdict: Verdict) -> Section:
    """Return every learner's mistakes, its error on rows left out, its time and its updates."""
    weighed = verdict.table.weight is not None
    return Section(
        "The learners side by side",
        (),
        (
            "learner", "mistakes", "by weight" if weighed else "E_in", "on rows left out", "time",
            "updates",
        ),
        tuple(_row(verdict, r) for r in verdict.results),
        (
            "* the line to take: the least error on rows left out; of equals the least E_in, then "
            "the first. E_in is the share of mistakes on these rows, a zero score counted as one; "
            "rows left out are those of each fold of a stratified cross-validation.",
            f"Why each stopped: {'; '.join(f'{r.name}: {_why(r)}' for r in verdict.lines)}.",
            verdict.scaling,
        ),
    )  # fmt: skip


def _why(r: LearnerResult) -> str:
    """Return the reason for stopping; a budget is set by the size of the table."""
    budget = (
        f" ({r.n_updates:,} updates, what a table of this size gets)"
        if "budget" in r.stopped and r.n_updates is not None
        else ""
    )
    return r.stopped.replace(";", ",") + budget


def _row(verdict: Verdict, r: LearnerResult) -> tuple[str, ...]:
    updates = "-" if r.n_updates is None else f"{r.n_updates:,}"
    return (
        r.name + (" *" if r is verdict.winner else ""), f"{r.n_errors:,}", percent(r.e_in),
        with_spread(r), seconds(r.seconds), updates,
    )  # fmt: skip


def line_section(verdict: Verdict) -> Section:
    """Return the weights of the line to take and its threshold."""
    best = verdict.winner
    table = verdict.table
    pairs = zip(best.weights[1:], verdict.features, strict=True)
    rows = [(f"{w:+.6g}", plain(name)) for w, name in pairs]
    more = (f"{len(rows) - MOST_COLUMNS} more in --json.",) if len(rows) > MOST_COLUMNS else ()
    return Section(
        f"The line ({best.name}), in the units of the table",
        (
            f"{plain(table.label)} = {plain(table.yes)} where the sum of weight x column exceeds "
            f"the threshold {-best.weights[0]:.6g}; otherwise {plain(table.no)}.",
        ),
        ("weight", "column"),
        tuple(rows[:MOST_COLUMNS]),
        more,
    )


def course_section(verdict: Verdict) -> Section:
    """Return PLA beside its bound (lecture 2), in exact numbers."""
    proof = verdict.separability
    pla = verdict.result("PLA")
    assert proof.rho_squared is not None  # noqa: S101  # separable
    seen = "" if verdict.pla_bound is None else (
        f"On the standardised columns that PLA saw it made T = {pla.n_updates:,} updates "
        f"({pla.stopped}); its bound there is {bound_in_words(verdict.pla_bound)}."
    )  # fmt: skip
    return Section(
        "PLA and its bound",
        (
            "For the line of the proof, measured in (1, x) with w_0 counted: margin squared rho^2 "
            f"= {short(proof.rho_squared)}, radius squared R^2 = "
            f"{short(proof.radius_squared)} (exact rationals, in full with --json). So PLA "
            f"from zero on the table's own columns makes at most floor(R^2 / rho^2) = "
            f"{bound_in_words(proof.mistake_bound or 0)} updates. {seen}",
            f"{_street_in_words(proof)}, in the units of the features: a support vector machine "
            "makes it as wide as it can. It is measured in x and is not the margin rho.",
        ),
    )


def _street_in_words(proof: Separability) -> str:
    lower, upper = (f"{width:.6g}" for width in proof.street_width)
    wide = lower if lower == upper else f"between {lower} and {upper}"
    return f"The widest empty street between yes and no is {wide} wide"


def outside_section(verdict: Verdict) -> Section:
    """Return what theory says about E_out, each with what it assumes (lecture 7)."""
    estimate = (
        "The error on rows left out, above, is an estimate without such a guarantee: the folds "
        "share rows, and the line to take was chosen by it. Rows never looked at give one."
    )
    if verdict.unbounded:
        return Section("Outside these rows", (f"No bound holds: {verdict.unbounded}.", estimate))
    return Section(
        "Outside these rows",
        (),
        ("bound", "about", "at most", ""),
        tuple(
            (b.name, b.about, percent(b.value), "vacuous: says nothing" if b.vacuous else "")
            for b in verdict.bounds
        ),
        (*(f"{b.name}: {b.assumptions}" for b in verdict.bounds), estimate),
    )


def data_section(verdict: Verdict) -> Section:
    """Return what was read, which rows take part and how columns became features."""
    table = verdict.table
    n = table.y.size
    dropped = f" ({table.n_dropped:,} dropped for missing values)" if table.n_dropped else ""
    sentences = [
        f"{plain(table.name)}: {counted(n, 'row')} used of {table.n_rows_in_file:,}{dropped}, "
        f"{counted(len(table.columns), 'column')} as {counted(len(verdict.features), 'feature')}.",
        f"Yes is {plain(table.label)} = {plain(table.yes)}: {counted(verdict.n_yes, 'row')}; no is "
        f"{plain(table.no)}: {counted(n - verdict.n_yes, 'row')}.",
    ]
    sentences += columns_in_words(table, verdict.encoding)
    return Section("The data", (*sentences, *(plain(note, 600) for note in verdict.notes)))


def columns_in_words(table: Table, encoding: Encoding) -> list[str]:
    """Return how columns became features, where they are not just themselves."""
    sentences = []
    categories = [c for c in table.columns if isinstance(c, CategoryColumn)]
    if categories:
        sentences.append(
            "One-hot columns (the first level, in brackets, is the baseline): "
            + "; ".join(_levels(c) for c in categories[:MOST_COLUMNS])
            + "."
        )
    if encoding.monomials is not None:
        sentences.append(
            f"Features are products of up to {encoding.monomials.degree} columns (a b is a times "
            "b, a^2 is a times a), without those that are constant or equal to another on these "
            "rows."
        )
    return sentences


def _levels(column: CategoryColumn) -> str:
    first, *others = (plain(level, 20) for level in column.levels)
    shown = ", ".join(others[:MOST_LINES]) + ("…" if len(others) > MOST_LINES else "")
    return f"{plain(column.name, 30)} = ({first}) {shown}".rstrip()
