"""Words of the user on the page, short in tables and in full at its end; and its numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from markupsafe import Markup, escape

from separatrix.report.wording import plain

LONGEST = 40  # characters of a name in a table
LONGEST_IN_FULL = 12_000
LONGEST_NUMBER = 12  # characters of a value in a table
MINUS = "\N{MINUS SIGN}"
DECIMAL = re.compile(r"(?<![\w.,])(\d+\.\d+(?:e[+-]?\d+)?)(?![\w.])")


@dataclass(slots=True)
class Names:
    """Shows words of the user, and collects those that were shortened, to be shown in full once."""

    in_full: list[str] = field(default_factory=list)

    def __call__(self, text: str, most: int = LONGEST) -> Markup:
        """Return a word as tables show it, without control or direction marks."""
        short, full = plain(text, most), plain(text, LONGEST_IN_FULL)
        if short == full:
            return Markup("<bdi>{}</bdi>").format(short)
        if full not in self.in_full:
            self.in_full.append(full)
        number = self.in_full.index(full) + 1
        return Markup('<bdi><a href="#name-{}">{}</a></bdi>').format(number, short)


def number(value: float) -> str:
    """Return a number as a person would write it (12, 0.5, 1e+30): it reads back to the same."""
    whole = value == int(value) and abs(value) < 1e15
    return minus(repr(int(value)) if whole else repr(float(value)))


def cell(value: float) -> str:
    """Return a value of a row, cut to eight digits where it has more."""
    text = number(value)
    return text if len(text) <= LONGEST_NUMBER else minus(f"{value:.8g}")


def points(value: float) -> Markup:
    """Return points to three digits and with their sign; the tooltip has six."""
    return tipped(*(figure(value, digits, "+") for digits in (3, 6)))


def rounded(value: float) -> Markup:
    """Return a number to three digits; the tooltip has six."""
    return tipped(*(figure(value, digits) for digits in (3, 6)))


def figure(value: float, digits: int, sign: str = "") -> str:
    """Return a number to so many digits, all of those before the point of one below 1e6."""
    whole = 10.0**digits <= abs(value) < 1e6
    return minus(f"{value:{sign},.{'0f' if whole else f'{digits}g'}}") if value else "0"


def tipped(short: str, full: str) -> Markup:
    """Return a figure as it is read, and in full where the pointer rests."""
    if short == full:
        return Markup("{}").format(short)
    return Markup('<span title="{}">{}</span>').format(full, short)


def three_digits(text: str) -> Markup:
    """Return a cell of the text report, each decimal number in it to three digits."""
    parts = DECIMAL.split(escape(text))
    return Markup("").join(
        tipped(_three(part), part) if k % 2 else Markup(part)  # noqa: S704  # escaped above
        for k, part in enumerate(parts)
    )


def _three(number: str) -> str:
    """Return a number of more than three digits to three."""
    value = float(number)
    if len(number.partition("e")[0].replace(".", "").lstrip("0")) <= 3:
        return number
    return f"{value:.0f}" if abs(value) >= 100.0 else f"{value:#.3g}"


def minus(text: str) -> str:
    """Return a printed number with a true minus; the sign of an exponent stays as it is."""
    return MINUS + text[1:] if text.startswith("-") else text
