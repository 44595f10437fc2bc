"""Tables of text, HTML, LaTeX and CSV from cells, and numbers as cells."""

from __future__ import annotations

import csv
import html
import io
import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext

INFINITE = {1: "+infinity", -1: "-infinity"}
MOST_DECIMALS = 6
LARGE = 1e6  # from here on numbers have an exponent
FIGURES = 4  # significant digits of the smallest number of a column
LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"$<$", ">": r"$>$", "|": r"$|$",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: its header, and rows of as many cells; the first column names the rows."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    @classmethod
    def of(cls, columns: Iterable[tuple[str, Sequence[str]]]) -> Grid:
        header, cells = zip(*columns, strict=True)
        return cls(header, list(zip(*cells, strict=True)))

    def lines(self, *, of_text: bool = False) -> list[str]:
        """Return lines of cells: names flush left, and the others too if they are text."""
        every = [self.header, *self.rows]
        widths = [max(map(width, column)) for column in zip(*every, strict=True)]
        lines = []
        for row in every:
            room = [" " * (wide - width(cell)) for wide, cell in zip(widths, row, strict=True)]
            cells = [row[0] + room[0]]
            cells += [c + r if of_text else r + c for c, r in zip(row[1:], room[1:], strict=True)]
            lines.append("  ".join(cells).rstrip())
        return lines

    def html(self) -> str:
        """Return a <table>; every name is escaped."""
        head = "".join(f"<th scope='col'>{html.escape(cell)}</th>" for cell in self.header)
        body = "".join(
            f"<tr><th scope='row'>{html.escape(row[0])}</th>"
            + "".join(f"<td>{html.escape(cell)}</td>" for cell in row[1:])
            + "</tr>"
            for row in self.rows
        )
        return (
            f"<table class='coefficients'><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>"
        )

    def latex(
        self, notes: Sequence[str] = (), caption: str | None = None, label: str | None = None
    ) -> str:
        """Return a tabular with the rules of booktabs, and notes below its last rule."""
        lines = [" & ".join(map(_latex, row)) + r" \\" for row in (self.header, *self.rows)]
        columns = "l" + "r" * (len(self.header) - 1)
        body = "\n".join(lines[1:])
        below = "".join(
            f"\\multicolumn{{{len(self.header)}}}{{l}}{{\\footnotesize {_latex(note)}}} \\\\\n"
            for note in notes
        )
        tabular = (
            f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{lines[0]}\n\\midrule\n{body}\n"
            f"\\bottomrule\n{below}\\end{{tabular}}\n"
        )
        if caption is not None or label is not None:
            said = "" if caption is None else f"\\caption{{{_latex(caption)}}}\n"
            said += "" if label is None else f"\\label{{{label}}}\n"
            tabular = f"\\begin{{table}}\n\\centering\n{said}{tabular}\\end{{table}}\n"
        return f"% \\usepackage{{booktabs}}\n{tabular}"


def width(text: str) -> int:
    """Return how many columns of a terminal text takes (Unicode's East Asian width)."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def _latex(cell: str) -> str:
    escaped = "".join(LATEX.get(c, c) for c in cell)
    for sign in ("+", "-", ""):
        escaped = escaped.replace(f"{sign}infinity", f"${sign}\\infty$")
    return escaped


def csv_text(header: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    """Return CSV; numbers are the shortest decimals that give them back, NaN is empty."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        cells = (c if isinstance(c, str) or not math.isnan(c) else "" for c in row)
        writer.writerow([c if isinstance(c, str) else repr(float(c)) for c in cells])
    return file.getvalue()


def json_number(value: float) -> float | str | None:
    """Return a number as JSON can hold it: "+infinity" and "-infinity" as text, NaN as null."""
    if math.isnan(value):
        return None
    return float(value) if math.isfinite(value) else INFINITE[1 if value > 0 else -1]


def json_numbers(values: Mapping[str, float | str]) -> dict[str, float | str | None]:
    return {k: v if isinstance(v, str) else json_number(v) for k, v in values.items()}


def column(
    values: Sequence[float],
    figures: int = FIGURES,
    *,
    decimals: int | None = None,
    way: str = ROUND_HALF_EVEN,
) -> list[str]:
    """Return numbers with as many decimals as the smallest needs, as R formats a column."""
    decimals = decimals_of(values, figures) if decimals is None else decimals
    return [cell(v, decimals, way) for v in values]


def decimals_of(values: Iterable[float], figures: int = FIGURES) -> int:
    """Return the decimals with which the smallest number has `figures` significant digits."""
    finite = [abs(v) for v in values if math.isfinite(v) and v != 0.0]
    decimals = figures - 1 - math.floor(math.log10(min(finite))) if finite else 0
    return min(max(decimals, 0), MOST_DECIMALS)


def cell(value: float, decimals: int, way: str = ROUND_HALF_EVEN) -> str:
    """Return one number: "-" for NaN, "+infinity"; very small and large ones with an exponent."""
    if math.isnan(value):
        return "-"
    if math.isinf(value):
        return INFINITE[1 if value > 0 else -1]
    if value == 0.0:
        return "0"
    if abs(value) < 0.5 * 10.0**-decimals or abs(value) >= LARGE:
        return f"{float(_significant(value, FIGURES, way)):.{FIGURES - 1}e}"
    rounded = Decimal(value).quantize(Decimal(1).scaleb(-decimals), rounding=way)
    return f"{rounded or abs(rounded):f}"


def rounded_down(value: float, figures: int) -> str:
    """Return a number of `figures` significant digits that is at most the value."""
    return rounded(value, figures, ROUND_FLOOR)


def rounded_up(value: float, figures: int) -> str:
    """Return a number of `figures` significant digits that is at least the value."""
    return rounded(value, figures, ROUND_CEILING)


def rounded(value: float, figures: int, way: str) -> str:
    """Return a number of `figures` significant digits, rounded as `decimal` calls the way."""
    rounded = _significant(value, figures, way)
    plain = 1e-6 < abs(value) < LARGE or value == 0.0
    return f"{rounded:f}" if plain else f"{rounded:.{figures - 1}e}"


def _significant(value: float, figures: int, way: str) -> Decimal:
    with localcontext() as context:
        context.prec, context.rounding = figures, way
        return +Decimal(value)
