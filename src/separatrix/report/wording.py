"""What a report is made of: sections, and the words and figures that all of them share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction

from separatrix.tables.wording import counted
from separatrix.tables.wording import plain as plain  # noqa: PLC0414  # for all reports
from separatrix.verdict import JointResult, LearnerResult

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


def percent(share: float | None) -> str:
    """Return a share as a percentage with two decimals."""
    return "-" if share is None else f"{100 * share:.2f} %"


def with_spread(r: LearnerResult | JointResult) -> str:
    """Return the error on rows left out: "3.00 % +- 4.47", or "-"."""
    spread = "" if r.cv_spread is None else f" +- {100 * r.cv_spread:.2f}"
    return percent(r.cv_error) + spread


def mistakes(r: LearnerResult | JointResult) -> str:
    """Return "no mistake", "1 mistake", "2 mistakes"."""
    return "no mistake" if r.n_errors == 0 else counted(r.n_errors, "mistake")


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
    """Return "2,000", and a bound of more than a hundred digits to six of them."""
    return f"{n:,}" if n < 10**100 else f"about {short(Fraction(n))}"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """Return a finding as a sentence that is safe to show."""
    shown = plain(text, 600)
    return capital(shown) + ("" if shown.endswith("?") else ".")
