"""The verdict in the reader's order, as plain sentences and tables: what every report shows."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from separatrix.data import shortened
from separatrix.tables import CategoryColumn
from separatrix.verdict import LearnerResult, Verdict

MOST_COLUMNS = 40
MOST_LINES = 12


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a report: a title, sentences, and perhaps a table."""

    title: str
    sentences: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def plain(text: str, most: int = 60) -> str:
    """Return a name as it can be shown anywhere: no control or direction marks, not too long."""
    kept = (
        c if unicodedata.category(c) not in ("Cc", "Cf", "Zl", "Zp") else f"\\u{ord(c):04x}"
        for c in text
    )
    return shortened("".join(kept), most)


def sections(verdict: Verdict) -> list[Section]:
    """Return the whole verdict, in the reader's order."""
    return [
        Section("The answer", answer(verdict)),
        _learners(verdict),
        _line(verdict),
        _data(verdict),
        *(
            [Section("Beware", tuple(plain(w, 400) for w in verdict.warnings))]
            if verdict.warnings
            else []
        ),
    ]


def percent(share: float | None) -> str:
    """Return a share as a percentage with two decimals."""
    return "-" if share is None else f"{100 * share:.2f} %"


def seconds(value: float) -> str:
    """Return a duration in words that fit a column."""
    return f"{value:.2f} s" if value >= 0.1 else f"{1000 * value:.1f} ms"


def joined(items: Sequence[str], most: int = MOST_LINES) -> str:
    """Return "a, b and c", shortened."""
    if len(items) > most:
        return ", ".join(items[:most]) + f" and {len(items) - most} more"
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + f" and {items[-1]}"


# ---------------------------------------------------------------------- the answer


def answer(verdict: Verdict) -> tuple[str, ...]:
    """Return the verdict in a few sentences."""
    return (separability_in_words(verdict), *_exact_numbers(verdict), _winner_in_words(verdict))


def separability_in_words(verdict: Verdict) -> str:
    """Return whether a line separates the rows, and the witness."""
    proof = verdict.separability
    n = verdict.table.y.size
    if proof.verdict == "separable":
        return (
            f"Linearly separable, proven: a line puts all {n} rows strictly on their own side "
            "(every sign checked in exact arithmetic on the doubles that the numbers were read as)."
        )
    if proof.verdict == "undecided":
        return f"Undecided whether a line separates the rows: {proof.reason}."
    lines = [str(line) for line in verdict.witness_lines]
    return f"Not linearly separable, proven: {_contradiction(verdict, lines)}"


def _contradiction(verdict: Verdict, lines: Sequence[str]) -> str:
    table = verdict.table
    where = f"file {table.line_word}" if table.format != "arrays" else table.line_word
    return (
        f"{where}s {joined(lines)} already contradict each other: their yes side and their no side "
        "share a point, so every line gets at least one of them wrong (multipliers checked in "
        "exact arithmetic)."
    )


def _exact_numbers(verdict: Verdict) -> tuple[str, ...]:
    proof = verdict.separability
    if proof.verdict != "separable" or proof.rho_squared is None or proof.mistake_bound is None:
        return ()
    pla = verdict.result("PLA")
    bound = (
        ""
        if verdict.pla_bound is None
        else (
            f" On the standardised columns that PLA saw: T = {pla.n_updates:,} updates "
            f"({pla.stopped}), bound {verdict.pla_bound:,}."
        )
    )
    return (
        f"For the line of the proof, in (1, x) with w_0 counted: rho^2 = "
        f"{float(proof.rho_squared):.6g}, R^2 = {float(proof.radius_squared):.6g} (both exact "
        f"rationals, in full with --json), so PLA from zero on these columns makes at most "
        f"floor(R^2 / rho^2) = {proof.mistake_bound:,} updates.{bound}",
    )


def _winner_in_words(verdict: Verdict) -> str:
    best = verdict.winner
    text = (
        f"The line to take: {best.name}, with {best.n_errors} of {verdict.table.y.size} rows wrong "
        f"(E_in {percent(best.e_in)})"
    )
    if best.cv_error is None:
        return f"{text}. It could not be cross-validated; see the notes."
    text += (
        f" and a cross-validated error of {percent(best.cv_error)} +- {percent(best.cv_spread)} "
        f"(standard deviation over {verdict.n_folds} folds)."
    )
    if verdict.optimism is not None:
        text += (
            f" Having chosen the best of {len(verdict.results)} makes that figure too good by "
            f"about {100 * verdict.optimism:.2f} percentage points (Tibshirani & Tibshirani 2009)."
        )
    return text


# ---------------------------------------------------------------------- tables


def _learners(verdict: Verdict) -> Section:
    return Section(
        "The learners side by side",
        (verdict.scaling,),
        ("learner", "mistakes", "E_in", "cross-validated", "time", "updates", "stopped because"),
        tuple(_row(verdict, r) for r in verdict.results),
    )


def _row(verdict: Verdict, r: LearnerResult) -> tuple[str, ...]:
    spread = "" if r.cv_spread is None else f" +- {100 * r.cv_spread:.2f}"
    updates = "-" if r.n_updates is None else f"{r.n_updates:,}"
    mark = " *" if r is verdict.winner else ""
    return (
        r.name + mark, str(r.n_errors), percent(r.e_in), percent(r.cv_error) + spread,
        seconds(r.seconds), updates, r.stopped if "always" not in r.name else "nothing to learn",
    )  # fmt: skip


def _line(verdict: Verdict) -> Section:
    best = verdict.winner
    table = verdict.table
    rows = [
        (f"{w:+.6g}", plain(name))
        for w, name in zip(best.weights[1:], verdict.features, strict=True)
    ]
    more = (f"{len(rows) - MOST_COLUMNS} more in --json",) if len(rows) > MOST_COLUMNS else ()
    return Section(
        f"The line ({best.name}), in the units of the table",
        (
            f"{plain(table.label)} = {plain(table.yes)} where the sum of weight x column exceeds "
            f"the threshold {-best.weights[0]:.6g}; otherwise {plain(table.no)}.",
            *more,
        ),
        ("weight", "column"),
        tuple(rows[:MOST_COLUMNS]),
    )


def _data(verdict: Verdict) -> Section:
    table = verdict.table
    n = table.y.size
    sentences = [
        f"{plain(table.name)}: {n} rows used of {table.n_rows_in_file}"
        + (f" ({table.n_dropped} dropped for missing values)" if table.n_dropped else "")
        + f", {len(table.columns)} columns as {len(verdict.features)} features.",
        f"Yes is {plain(table.label)} = {plain(table.yes)}: {verdict.n_yes} rows; no is "
        f"{plain(table.no)}: {n - verdict.n_yes} rows.",
    ]
    categories = [c for c in table.columns if isinstance(c, CategoryColumn)]
    if categories:
        sentences.append(
            "One-hot columns (the first level, in brackets, is the baseline): "
            + "; ".join(_levels(c) for c in categories[:MOST_COLUMNS])
            + "."
        )
    return Section("The data", (*sentences, *(plain(note, 400) for note in verdict.notes)))


def _levels(column: CategoryColumn) -> str:
    first, *others = (plain(level, 20) for level in column.levels)
    shown = ", ".join(others[:MOST_LINES]) + ("…" if len(others) > MOST_LINES else "")
    return f"{plain(column.name, 30)} = ({first}) {shown}".rstrip()
