"""Words of the user on the page: short where many stand together, in full at the end."""

from __future__ import annotations

from dataclasses import dataclass, field

from separatrix.report.wording import plain

LONGEST = 40  # characters of a name in a table
LONGEST_IN_FULL = 12_000


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
