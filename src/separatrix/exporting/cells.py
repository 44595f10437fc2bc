"""Cells of a database table as `predict` reads those of a file: numbers, levels, amounts, dates.

Whatever a reading does is spelled out in replacements and comparisons of characters, the same for
every database. Functions of dates, regular expressions and lower() differ between them, between
their locales, and from what `predict` does with 31.02.2025 or ẞ.

A text is brought to its shape first, step by step: its digits become 0, blanks one blank, signs
lose the blanks beside them. A shape is in a short list, or the cell has no value.
"""

from __future__ import annotations

import datetime
import functools
import itertools
from collections.abc import Iterable, Sequence

from separatrix.exporting.dialects import Dialect, decimal, identifier
from separatrix.model import TableModel
from separatrix.tables import MISSING_TOKENS, CategoryEncoding, NumberEncoding, missing_beside
from separatrix.tables.labels import YES_NO, known_words
from separatrix.tables.recipes import (
    LONGEST_AMOUNT,
    MISSING_LEVEL,
    RARE_LEVEL,
    Amounts,
    Dates,
    Levels,
)

REPLACEMENTS = 16  # in one expression: SQLite's parser takes 28
# what Python calls white space, without the blank
SPACES = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    "\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
# U+FDD0 stands in no text, says Unicode
ONE_BLANK = [("  ", " \ufdd0"), ("\ufdd0 ", ""), ("\ufdd0", "")]
DIGITS = "0123456789"
MARKS = ".,'’ "
# what is left of 10:30:00.25 pm +01:00: blanks, then AM or PM as one sign, then the zone as Z
TIME = [
    ("#", "?"), ("a", "A"), ("p", "P"), ("m", "M"), *((f" {c}", c) for c in "APZ+-"),
    ("P", "A"), ("A.M", "AM"), ("AM.", "AM"), ("AM", "#"), ("##", "?"), ("+", "-"),
    ("-00:00", "-0000"), ("ZZ", "?"), ("-0000", "Z"), ("ZZ", "?"), (",", "."),
]  # fmt: skip
TIMES = ("0:00", "00:00", "0:00:00", "00:00:00")


class _Text:
    """A text on its way: an expression over the columns of the step before."""

    def __init__(self, cells: Cells, expression: str) -> None:
        self.cells, self.way, self.step, self.is_now = cells, cells.way, 0, expression

    def keep(self, expression: str) -> str:
        """Make it a column that later steps can read; return its name."""
        return self.cells.add(self.step, expression)

    def next(self, expression: str = "") -> str:
        """Go on with a column of this expression, or of what it is now; return its name."""
        self.is_now = self.keep(expression or self.is_now)
        self.step += 1
        return self.is_now

    def replace(self, pairs: Iterable[tuple[str, str]]) -> None:
        for k, (old, new) in enumerate(pairs, 1):
            self.is_now = self.way.replaced(self.is_now, old, new)
            if k % REPLACEMENTS == 0:
                self.next()

    def map(self, old: str, new: str) -> None:
        """Replace characters by characters, none of which is among the old ones."""
        if self.way.translate and old:
            texts = self.way.texts_of((old, new))
            self.is_now = f"translate({self.is_now}, {texts})"
        else:
            self.replace(zip(old, new, strict=True))

    def one_blank(self, but: str = "") -> None:
        """Make every run of white space, as Python knows it, one blank; none at the ends."""
        spaces = "".join(c for c in SPACES if c not in but)
        self.map(spaces, " " * len(spaces))
        self.next()
        self.replace(ONE_BLANK)
        self.is_now = self.way.stripped(self.is_now, " ")


class Cells:
    """What stands in the first steps of a SELECT: x1, x2, ... and, with products, guards g1, ..."""

    def __init__(self, way: Dialect, table: TableModel, kept: Sequence[str]) -> None:
        self.way, self.table, self.encoding = way, table, table.encoding
        self.steps = [[*kept]]
        self.n = 0
        self.recipes = {name: recipe for recipe in table.recipes for name in recipe.names}
        made: list[_Text] = []
        for column in self.encoding.columns:
            if isinstance(column, NumberEncoding):
                made.append(self._number(column))
            elif self.encoding.monomials is None:
                made.append(self._level(column))
            else:
                made += self._indicators(column)
        for j, cell in enumerate(made, 1):
            self.add(cell.step, cell.is_now, f"x{j}")
        guards = self._guards()
        self.n_guards = len(guards)
        for j, cell in enumerate(guards, 1):
            self.add(cell.step, cell.is_now, f"g{j}")

    def add(self, step: int, expression: str, name: str = "") -> str:
        """Make an expression a column of a step; return its name."""
        self.n += not name
        name = identifier(name or f"r{self.n}")
        self.steps += [[] for _ in range(step + 1 - len(self.steps))]
        self.steps[step].append(f"{expression} AS {name}")
        return name

    def points(self, cell: str, levels: Sequence[str], points: Sequence[float]) -> str:
        pairs = zip(map(self.way.text_of, levels), map(self.double, points), strict=True)
        return f"CASE {cell} {' '.join(f'WHEN {level} THEN {w}' for level, w in pairs)} END"

    def double(self, value: float) -> str:
        return self.way.double.format(v=decimal(value))

    def _guards(self) -> list[_Text]:
        """Return zeros, NULL where a column of one level, which makes no feature, holds another."""
        if self.encoding.monomials is None:
            return []
        guards = []
        for column in self.encoding.columns:
            if isinstance(column, CategoryEncoding) and len(column.levels) == 1:
                cell = self._level(column)
                cell.is_now = self.points(cell.is_now, column.levels, [0.0])
                guards.append(cell)
        return guards

    def _indicators(self, column: CategoryEncoding) -> list[_Text]:
        known = self.way.texts_of(column.levels)
        made = []
        for name in column.levels[1:]:
            cell = self._level(column)
            cell.is_now = (
                f"CASE WHEN {cell.is_now} = {self.way.text_of(name)} THEN {self.double(1.0)} "
                f"WHEN {cell.is_now} IN ({known}) THEN {self.double(0.0)} END"
            )
            made.append(cell)
        return made

    def _absent(self, cell: str, tokens: Sequence[str]) -> str:
        written = self.way.text.format(c=cell)
        return f"{cell} IS NULL OR {written} IN ({self.way.texts_of(tokens)})"

    def _filled(self, cell: _Text, absent: str, fill: str) -> _Text:
        """Return what a cell counts as, where nothing stands there the fill; NULL for none."""
        if cell.step:  # the column of the table is not there any more
            absent = f"{self.add(0, f'CASE WHEN {absent} THEN 1 ELSE 0 END')} = 1"
        cell.is_now = f"CASE WHEN {absent} THEN {fill} ELSE {cell.is_now} END"
        return cell

    # ---------------------------------------------------------------- numbers

    def _number(self, column: NumberEncoding) -> _Text:
        recipe = self.recipes.get(column.name)
        source = of_row(column.name if recipe is None else recipe.column)
        absent = self._absent(source, MISSING_TOKENS)
        cell = _Text(self, self.way.number.format(c=source))
        if recipe is not None and recipe.indicator and column.name == recipe.names[-1]:
            cell.is_now = f"CASE WHEN {absent} THEN {self.double(1.0)} ELSE {self.double(0.0)} END"
            return cell
        if recipe is not None and isinstance(recipe.how, Amounts):
            cell = self._of_text(source, self._amount(source, recipe.how), recipe.how.unit == "%")
        elif recipe is not None and isinstance(recipe.how, Dates):
            cell = self._days(source, recipe.how)
        elif self.table.decimal == "," and self.way.is_text:
            text = self.way.text.format(c=source)
            comma = _Text(self, f"CASE WHEN {text} NOT LIKE '%.%' THEN {text} END")
            comma.replace([(",", ".")])
            comma.next()
            comma.is_now = self.way.number.format(c=comma.is_now)
            cell = self._of_text(source, comma, no_numbers=False)
        if column.fill is None:
            return cell
        return self._filled(cell, absent, self.double(column.fill))

    def _of_text(self, source: str, cell: _Text, no_numbers: bool) -> _Text:
        """Return the value of a text, and of a column of numbers the number itself, if allowed."""
        if self.way.is_text:
            text = self.way.is_text.format(c=source)
            number = self.way.number.format(c=source)
            if no_numbers:
                number = "CAST(NULL AS DOUBLE PRECISION)"
            number = self.add(0, f"CASE WHEN {text} THEN NULL ELSE {number} END")
            text = self.add(0, f"CASE WHEN {text} THEN 1 ELSE 0 END")
            cell.is_now = f"CASE WHEN {text} = 1 THEN {cell.is_now} ELSE {number} END"
        return cell

    def _amount(self, source: str, how: Amounts) -> _Text:
        """Return the number in a text such as '€ 1.730,50'; see `Amounts.value`."""
        way, unit, mark = self.way, how.unit, how.decimal
        cell = _Text(self, way.text.format(c=source))
        cell.next(f"CASE WHEN {cell.is_now} NOT LIKE '{'_' * (LONGEST_AMOUNT + 1)}%' "
                  f"THEN {cell.is_now} END")  # fmt: skip
        cell.one_blank()
        signs = [*"+-−()", *([unit] if unit else [])]
        cell.replace([*([("Rs.", "?")] if unit == "Rs" else []),
                      *((f" {s}", s) for s in signs), *((f"{s} ", s) for s in signs)])  # fmt: skip
        text = cell.next()
        digits = cell.next(way.stripped(way.replaced(text, unit, "") if unit else text, "+-−()"))
        plain = _Text(self, digits)  # of the same step, without the marks between thousands
        plain.step = cell.step
        groups = [m for m in MARKS if m != mark]
        plain.replace([*((m, "") for m in groups), (mark, ".")])
        number = plain.next()
        cell.replace([("g", "?")])
        cell.map(DIGITS[1:], "0" * 9)
        shape = cell.next()
        whens = " ".join(
            f"WHEN {shape} LIKE {way.text_of(f'%{m}000%')} "
            f"THEN {way.replaced(shape, f'{m}000', 'g')}"
            for m in groups
        )
        shape = cell.next(f"CASE {whens} ELSE {shape} END")
        bare = way.left(way.stripped(shape, "0"), "g")
        forms = {"": ["#"], "%": ["#%"]}.get(unit, ["#", f"{unit}#", f"#{unit}"])
        swapped = [unit] if len(forms) > 1 else []
        signed = {s: [*(s + f for f in forms), *(u + s + "#" for u in swapped)] for s in "+-−"}
        minus = [*signed["-"], *signed["−"], *(f"({form})" for form in forms)]
        form = f"replace({text}, {digits}, '#')"
        cell.is_now = (
            f"CASE WHEN {bare} IN ('', '{mark}') AND {shape} NOT IN ('', '{mark}') "
            f"AND {shape} NOT LIKE '%g0%' AND {shape} NOT LIKE 'g%' AND {shape} NOT LIKE '0000%g%' "
            f"AND NOT ({shape} LIKE '0g%' AND {digits} LIKE '0%') "
            f"THEN CASE WHEN {form} IN ({way.texts_of([*forms, *signed['+']])}) "
            f"THEN CAST({number} AS DOUBLE PRECISION) WHEN {form} IN ({way.texts_of(minus)}) "
            f"THEN -CAST({number} AS DOUBLE PRECISION) END END"
        )
        return cell

    def _days(self, source: str, how: Dates) -> _Text:
        """Return the days from the first date to that in a text or of a date; see `Dates.day`."""
        way = self.way
        cell = _Text(self, way.text.format(c=source))
        text = cell.next()
        cell.map(DIGITS[1:], "0" * 9)
        shape = cell.next()
        parts = list(itertools.product("-/.", ("0", "00"), ("0", "00")))
        dates = [f"0000{s}{a}{s}{b}" for s, a, b in parts]
        if how.order != "year-first":
            dates += [f"{a}{s}{b}{s}0000" for s, a, b in parts]
        sizes = {k: way.texts_of(d for d in dates if len(d) == k) for k in (10, 9, 8)}
        whens = [f"WHEN substring({shape}, 1, {k}) IN ({d}) THEN {k}" for k, d in sizes.items()]
        size = cell.next(f"CASE {' '.join(whens)} END")
        date = cell.keep(f"substring({text}, 1, {size})")
        rest = cell.next(f"substring({shape}, {size} + 1, 1000000000)")
        first = f"{shape} LIKE '0000%'"
        date = cell.keep(way.replaced(way.replaced(date, "/", "-"), ".", "-"))
        time = cell.next(
            f"CASE WHEN {first} THEN {way.left(rest, 'T ')} ELSE {way.left(rest, 'T, ')} END"
        )
        two = way.right(way.right(date, DIGITS), "-")
        fields = [
            way.right(way.right(two, DIGITS), "-"),
            way.left(way.left(two, DIGITS), "-"),
            way.left(way.left(way.left(way.left(date, DIGITS), "-"), DIGITS), "-"),
        ]
        a, b, c = (cell.keep(f"CAST({field} AS INTEGER)") for field in fields)
        cell.one_blank(but="\n")
        cell.replace(TIME)
        y, m, d = (a, b, c) if how.order == "year-first" else (
            cell.keep(f"CASE WHEN {first} THEN {one} ELSE {other} END")
            for one, other in ((a, c), (b, b if how.order == "day-first" else a),
                               (c, a if how.order == "day-first" else b)))  # fmt: skip
        zone = cell.next(way.right(way.right(cell.is_now, "Z"), "#"))
        # years that begin in March end with the day that not all of them have
        start = cell.keep(f"CASE WHEN {m} <= 2 THEN {y} - 1 ELSE {y} END")
        leap = f"CASE WHEN {y} % 400 = 0 OR {y} % 4 = 0 AND {y} % 100 <> 0 THEN 29 ELSE 28 END"
        longest = cell.keep(
            f"CASE WHEN {m} = 2 THEN {leap} WHEN {m} IN (4, 6, 9, 11) THEN 30 ELSE 31 END"
        )
        month = cell.keep(f"153 * (({m} + 9) % 12) + 2")
        fraction = way.right(zone, "0")
        is_time = cell.next(
            f"CASE WHEN {rest} = '' OR {rest} <> {time} AND ({zone} IN ({way.texts_of(TIMES)}) "
            f"OR {zone} LIKE '%0' AND {fraction} IN ('0:00:00.', '00:00:00.')) THEN 1 ELSE 0 END"
        )
        years = [f"({start} - {start} % {k}) / {k}" for k in (4, 100, 400)]
        since = datetime.date.fromisoformat(how.first).toordinal() + 306  # from 0000-02-29
        cell.is_now = (
            f"CASE WHEN {is_time} = 1 AND {y} >= 1 AND {m} BETWEEN 1 AND 12 "
            f"AND {d} BETWEEN 1 AND {longest} THEN (365 * {start} + {years[0]} - {years[1]} + "
            f"{years[2]} + ({month} - {month} % 5) / 5 + {d} - {since}) * {self.double(1.0)} END"
        )
        return cell

    # ---------------------------------------------------------------- levels

    def _level(self, column: CategoryEncoding) -> _Text:
        recipe = self.recipes.get(column.name)
        source = of_row(column.name if recipe is None else recipe.column)
        cell = _Text(self, self.way.text.format(c=source))
        absent = self._absent(source, missing_beside(column.levels))
        fill = "NULL" if column.fill is None else self.way.text_of(column.fill)
        if recipe is not None and isinstance(recipe.how, Levels):
            how = recipe.how
            if how.fold:
                self._fold(cell, column.levels if how.kept is None else how.kept, column.levels)
            if how.kept is not None:
                often = f"WHEN {cell.is_now} IN ({self.way.texts_of(how.kept)}) THEN {cell.is_now}"
                rare = self.way.text_of(RARE_LEVEL)
                cell.is_now = f"CASE {often} ELSE {rare} END" if how.kept else rare
            fill = self.way.text_of(MISSING_LEVEL) if how.missing else fill
            return self._filled(cell, absent, fill)
        return cell if column.fill is None else self._filled(cell, absent, fill)

    def _fold(self, cell: _Text, levels: Sequence[str], known: Sequence[str]) -> None:
        """Fold case and blanks as far as a text may be one of the levels then."""
        cell.one_blank()
        cell.is_now = self.way.lower.format(c=cell.is_now)
        there = "\n".join([*levels, *YES_NO])
        pairs = [(c, f) for c, f in folds() if f in there]
        one = [(c, f) for c, f in pairs if len(f) == 1 and ord(c) < 0x10000]
        cell.map("".join(c for c, _ in one), "".join(f for _, f in one))
        cell.replace(pair for pair in pairs if pair not in one)
        folded = cell.next()
        words = known_words(known)
        whens = (f"WHEN {self.way.text_of(a)} THEN {self.way.text_of(b)}" for a, b in words.items())
        cell.is_now = f"CASE {folded} {' '.join(whens)} ELSE {folded} END" if words else folded


@functools.cache
def folds() -> tuple[tuple[str, str], ...]:
    """Return the letters beyond ASCII that have another case, and what they are without it."""
    letters = map(chr, range(0x80, 0x20000))
    return tuple((c, c.casefold()) for c in letters if c != c.casefold())


def of_row(name: str) -> str:
    """Return a column behind its table's name: alone, SQLite reads an unknown one as text."""
    return f'"t".{identifier(name)}'
