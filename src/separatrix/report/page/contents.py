"""Everything the page shows of one yes / no question, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from separatrix.report.fewest import fewest_in_words
from separatrix.report.page.answer import key_figures, lead
from separatrix.report.page.applicant import Applicant, applicant
from separatrix.report.page.contradiction import Contradiction, contradiction
from separatrix.report.page.line import Line, line_of
from separatrix.report.page.names import Name, Names
from separatrix.report.page.outcomes import Cost, Counts, costs_of, shares
from separatrix.report.page.pictures import Picture, pictures_of
from separatrix.report.page.proof import (
    Bracket,
    Coefficients,
    bracket_of,
    coefficients,
)
from separatrix.report.page.rows import RowsOf
from separatrix.report.sections import (
    Section,
    answer_section,
    beware_section,
    course_section,
    data_section,
    learners_section,
    line_section,
    sections,
)
from separatrix.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Contents:
    """A verdict in the reader's order; sections come from the text report, word for word."""

    label: Name
    yes: Name
    no: Name
    line_word: str
    lead: str
    figures: list[tuple[str, str]]
    answer: tuple[str, ...]
    beware: Section | None
    winner: str
    line: Line
    separable: str
    contradiction: Contradiction | None
    bracket: Bracket
    coefficients: Coefficients
    course: Section | None
    learners: Section
    others: Sequence[Section]
    pictures: list[Picture]
    counts: Counts
    shares: tuple[str, str]
    costs: list[Cost]
    weighted: bool
    applicant: Applicant
    data: Section


def contents(verdict: Verdict, names: Names, prefix: str) -> Contents:
    """Gather the contents; `prefix` begins the ids of the drawings."""
    rows = RowsOf.of(verdict)
    counts = Counts.of(rows.scores, rows.y)
    bracket = bracket_of(verdict)
    separable, *answer = answer_section(verdict).sentences
    proven = fewest_in_words(verdict)  # told with the proof
    return Contents(
        label=names.of(verdict.table.label),
        yes=names.of(verdict.table.yes),
        no=names.of(verdict.table.no),
        line_word=verdict.table.line_word,
        lead=lead(verdict),
        figures=key_figures(verdict, bracket),
        answer=tuple(said for said in answer if said not in proven),
        beware=beware_section(verdict) if verdict.warnings else None,
        winner=verdict.winner.name,
        line=line_of(verdict, rows, names),
        separable=separable,
        contradiction=contradiction(verdict, rows, names),
        bracket=bracket,
        coefficients=coefficients(verdict, names),
        course=_course(verdict),
        learners=learners_section(verdict),
        others=_others(verdict),
        pictures=pictures_of(verdict, rows, prefix),
        counts=counts,
        shares=shares(counts),
        costs=costs_of(rows),
        weighted=verdict.table.weight is not None,
        applicant=applicant(verdict, rows, names),
        data=data_section(verdict),
    )


def _course(verdict: Verdict) -> Section | None:
    return course_section(verdict) if verdict.separability.verdict == "separable" else None


def _others(verdict: Verdict) -> list[Section]:
    """Return the sections of the text report that the page has no place of their own for."""
    placed = [
        answer_section(verdict), beware_section(verdict), learners_section(verdict),
        line_section(verdict), data_section(verdict), _course(verdict),
    ]  # fmt: skip
    titles = {section.title for section in placed if section is not None}
    return [section for section in sections(verdict) if section.title not in titles]
