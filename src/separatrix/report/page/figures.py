"""Numbers as the page prints them."""

from __future__ import annotations

LONGEST = 12
MINUS = "\N{MINUS SIGN}"


def number(value: float) -> str:
    """Return a number as a person would write it (12, 0.5, 1e+30): it reads back to the same."""
    whole = value == int(value) and abs(value) < 1e15
    return minus(repr(int(value)) if whole else repr(float(value)))


def cell(value: float) -> str:
    """Return a value of a row, cut to eight digits where it has more."""
    text = number(value)
    return text if len(text) <= LONGEST else minus(f"{value:.8g}")


def points(value: float) -> str:
    """Return points with six digits and their sign."""
    return minus(f"{value:+.6g}") if value else "0"


def rounded(value: float, digits: int = 6) -> str:
    """Return a number with so many digits."""
    grouped = "," if abs(value) < 10**digits else ""
    return minus(f"{value:{grouped}.{digits}g}") if value else "0"


def minus(text: str) -> str:
    """Return a printed number with a true minus; the sign of an exponent stays as it is."""
    return MINUS + text[1:] if text.startswith("-") else text
