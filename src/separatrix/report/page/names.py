"""Words of the user on the page, short in tables and in full at its end; and its numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

from separatrix.report.wording import plain

LONGEST = 40  # characters of a name in a table
LONGEST_IN_FULL = 12_000
LONGEST_NUMBER = 12  # characters of a value in a table
MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True)
class Name:
    """A word of the user: no control or direction marks, escaped by the template.

    Parameters
    ----------
    short : str
    number : int
        Where it stands among the names in full; 0 when `short` is all of it.
    """

    short: str
    number: int = 0


@dataclass(slots=True)
class Names:
    """Collects the words that were shortened, so that each is on the page in full, once."""

    in_full: list[str] = field(default_factory=list)

    def of(self, text: str, most: int = LONGEST) -> Name:
        """Return a word as tables show it."""
        short, full = plain(text, most), plain(text, LONGEST_IN_FULL)
        if short == full:
            return Name(short)
        if full not in self.in_full:
            self.in_full.append(full)
        return Name(short, self.in_full.index(full) + 1)


def number(value: float) -> str:
    """Return a number as a person would write it (12, 0.5, 1e+30): it reads back to the same."""
    whole = value == int(value) and abs(value) < 1e15
    return minus(repr(int(value)) if whole else repr(float(value)))


def cell(value: float) -> str:
    """Return a value of a row, cut to eight digits where it has more."""
    text = number(value)
    return text if len(text) <= LONGEST_NUMBER else minus(f"{value:.8g}")


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
