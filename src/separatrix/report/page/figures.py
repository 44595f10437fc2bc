"""Numbers as the page prints them."""

from __future__ import annotations

MINUS = "\N{MINUS SIGN}"


def number(value: float) -> str:
    """Return a number of the table as a person would write it: 12, 0.5, 1e+30."""
    whole = value == int(value) and abs(value) < 1e15
    return minus(repr(int(value)) if whole else repr(float(value)))


def points(value: float) -> str:
    """Return points with six digits and their sign."""
    return minus(f"{value:+.6g}") if value else "0"


def rounded(value: float, digits: int = 6) -> str:
    """Return a number with so many digits."""
    return minus(f"{value:,.{digits}g}") if value else "0"


def in_full(value: float) -> str:
    """Return the shortest text that reads back to the same double."""
    return minus(number(value))


def minus(text: str) -> str:
    """Return a printed number with a true minus; the sign of an exponent stays as it is."""
    return MINUS + text[1:] if text.startswith("-") else text
