"""Columns that are read in another way because the user asked for it.

Amounts and dates in text become numbers, levels are folded or grouped, missing values become a
level or an indicator of their own. A `Recipe` holds what it found in the table that was learned
from (the decimal mark, the earliest date, the levels that were kept), so that rows to predict are
read in the same way: nothing is found out anew from them.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from separatrix._later import pa, pc
from separatrix.data import InputError
from separatrix.said import Said
from separatrix.tables.cells import (
    CellReader,
    distinct_texts,
    is_text,
    text_values,
    trimmed,
    what_is,
)
from separatrix.tables.columns import MISSING_CODE, CategoryColumn, Column, NumberColumn
from separatrix.tables.labels import known_words, one_word_for_each
from separatrix.tables.raw import RawColumn
from separatrix.tables.wording import counted, listed, shown

if TYPE_CHECKING:
    from separatrix.tables.options import Reading

AMOUNTS = ("money", "percent", "thousands")
DATES = ("dates", "day-first", "month-first")
PARSED = AMOUNTS + DATES
MISSING_LEVEL = "(missing)"
RARE_LEVEL = "(rare)"
MONEY = "$¢-¥֏؋฿₠-⃀﷼＄￠￡￥￦"  # of a character class: what Unicode calls currency signs
CODES = (
    "AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|IDR|ILS|INR|JPY|KRW|MXN|MYR|NOK|NTD|NZD|PHP|PLN|"
    "RMB|RON|RUB|SAR|SEK|SGD|THB|TRY|TWD|USD|VND|ZAR|Fr\\.|kr|zł|Rs\\.?"
)
UNIT = rf"(?:[A-Z]{{0,3}}[{MONEY}]|{CODES})"
AMOUNT = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[+\-−]?)\s*(?P<before>{UNIT})?\s*(?P<sign2>[+\-−]?)\s*"
    rf"(?P<digits>[0-9.,](?:[0-9.,'’\s]*[0-9.,])?)\s*(?P<after>%|{UNIT})?\s*(?P<close>\))?"
)
YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ]+(.+))?", re.ASCII)
YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?:[T, ]+(.+))?", re.ASCII)
SHORT_YEAR = re.compile(r"\d{1,2}([-/.])\d{1,2}\1\d{2}", re.ASCII)
TIME = re.compile(
    r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?\s*(?:[AaPp]\.?[Mm]\.?)?\s*"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
)
ORDERS = ("year-first", "day-first", "month-first")
LONGEST_AMOUNT = 64  # characters; other numbers are longer than any money there is
COMMAS_IN_SQL = (
    "Numbers have a decimal comma, and 1.125 is another number as text: which of the two a column "
    "holds, no SQL tells that runs in every database. Say which one with export --dialect sqlite, "
    "duckdb, postgresql or sqlserver."
)
NO_DAY = -(2**31)  # days since 1970 of a missing date: before every year


@dataclass(frozen=True, slots=True)
class Amounts:
    """Text such as '€ 1.730,50' or '3,64 %' as the number that stands in it."""

    decimal: str  # "." or ","
    unit: str  # the sign of currency, or "%", that values carry; "" for none. '3,64 %' is 3.64

    def value(self, text: str) -> float | None:
        found = _amount(text)
        if found is None or bool(found["open"]) != bool(found["close"]):
            return None
        units = [unit for unit in (found["before"], found["after"]) if unit]
        if units not in ([], [self.unit]) or (self.unit == "%" and not units):
            return None
        signs = [sign for sign in (found["sign"], found["sign2"], found["open"]) if sign]
        digits = _plain_digits(found["digits"], self.decimal)
        if len(signs) > 1 or digits is None:
            return None
        value = float(digits)
        return None if np.isinf(value) else (-value if signs and signs[0] in "-−(" else value)

    def read(self, raw: RawColumn, reader: CellReader, _: Sequence[str]) -> Column:
        if not is_text(raw.cells):
            column = reader.numbers(raw)
            if self.unit == "%" and not column.missing.all():
                row = int(np.argmin(column.missing))
                mark = self.decimal
                raise InputError(
                    f"{reader.place.at(row, raw.name)}: {raw.cells[row].as_py()} is a number "
                    "without a per cent sign, and the model learned from text with one (such as "
                    f"'3{mark}96 %'): 0{mark}0396 could mean 0{mark}0396 % or 3{mark}96 %. Give "
                    f"the column as text such as '3{mark}96 %', or learn from the same kind of "
                    "file."
                )
            return column
        mark = "comma" if self.decimal == "," else "point"
        unit = f" {shown(self.unit)}" if self.unit else ""
        wanted = f"is not an amount{unit} with a decimal {mark}, as the others in the column are"
        values = _by_text(raw, reader, self.value, np.nan, wanted)
        return NumberColumn(raw.name, values.astype(np.float64))

    def says(self, name: str, example: str) -> str:
        said = "Column {name} is read as amounts: {example} is {value!r}."
        return Said(said, name=shown(name), example=shown(example), value=self.value(example))


def _amount(text: str) -> re.Match[str] | None:
    """Return the parts of an amount; None for other text. Runs of blanks count as one."""
    plain = " ".join(text[: LONGEST_AMOUNT + 1].split())
    return AMOUNT.fullmatch(plain) if len(text) <= LONGEST_AMOUNT else None


def _plain_digits(digits: str, decimal: str) -> str | None:
    """Return digits without group marks and with a point; None where groups are not of three."""
    whole, _, fraction = digits.partition(decimal)
    if fraction and not (fraction.isascii() and fraction.isdigit()):
        return None
    groups = re.split(r"[.,'’\s]", whole)
    marks = set(re.findall(r"[.,'’\s]", whole))
    if len(groups) > 1 and (len(marks) > 1 or not 1 <= len(groups[0]) <= 3 or groups[0] == "0"):
        return None
    if any(len(group) != 3 for group in groups[1:]) or not (whole or fraction):
        return None
    return f"{''.join(groups) or '0'}.{fraction or '0'}"


def _decimal_of(digits: Sequence[str], usual: str) -> str:
    """Return the decimal mark that digits such as '1.730,50' show; the usual one if none does."""
    votes: Counter[str] = Counter()
    for text in digits:
        points, commas = text.count("."), text.count(",")
        if points and commas:
            votes["." if text.rindex(".") > text.rindex(",") else ","] += 1
        elif points > 1 or commas > 1:
            votes["," if points > 1 else "."] += 1
        elif points or commas:
            mark = "." if points else ","
            before, _, after = text.partition(mark)
            if len(after) != 3 or not 1 <= len(before) <= 3 or before == "0":
                votes[mark] += 1
    return votes.most_common(1)[0][0] if votes else usual


def _find_amounts(texts: Sequence[str], asked: Reading, usual: str) -> Amounts | None:
    """Return how most texts of a column are amounts as asked for; None if they are not."""
    found = [match for match in map(_amount, texts) if match]
    if len(found) * 2 <= len(texts) or all(what_is(m.string, usual) == "number" for m in found):
        return None
    units = Counter(match["before"] or match["after"] or "" for match in found)
    unit = next((unit for unit, _ in units.most_common() if unit), "")
    kinds = {"percent"} if unit == "%" else {"money"} if unit else set()
    if any(match["open"] for match in found):
        kinds.add("money")
    if not (kinds or {"thousands"}) <= set(asked.parse):  # none: groups, or another decimal mark
        return None
    return Amounts(_decimal_of([match["digits"] for match in found], usual), unit)


@dataclass(frozen=True, slots=True)
class Dates:
    """Dates as written, without times of day and zones, as whole days since the earliest."""

    order: str  # of `ORDERS`: what texts look like; the year may be first in any case
    first: str  # the earliest date of the table that was learned from, as 2025-08-31

    def day(self, text: str) -> int | None:
        """Return the days from 1970-01-01 to a date in text; None where it is none."""
        found = YEAR_FIRST.fullmatch(text)
        if found:
            year, month, day = found[1], found[3], found[4]
        else:
            found = YEAR_LAST.fullmatch(text)
            if found is None or self.order == "year-first":
                return None
            year = found[4]
            day, month = (found[1], found[3]) if self.order == "day-first" else (found[3], found[1])
        if found[5] and not TIME.fullmatch(found[5].strip()):
            return None
        try:
            return (datetime.date(int(year), int(month), int(day)) - _EPOCH).days
        except ValueError:  # 31.02.2025
            return None

    def read(self, raw: RawColumn, reader: CellReader, _: Sequence[str]) -> Column:
        days = self.all_days(raw, reader)
        since = days - (datetime.date.fromisoformat(self.first) - _EPOCH).days
        return NumberColumn(f"{raw.name} (days)", np.where(days == NO_DAY, np.nan, since))

    def all_days(self, raw: RawColumn, reader: CellReader) -> NDArray[np.int64]:
        if is_text(raw.cells):
            wanted = f"is not a date with the {self.order.replace('-', ' ')}"
            if any(SHORT_YEAR.fullmatch(text) for text in distinct_texts(trimmed(raw.cells))[0]):
                wanted += ": a year of two digits may be of either century, write it with four"
            return _by_text(raw, reader, self.day, NO_DAY, wanted).astype(np.int64)
        if not _is_date(raw):
            raise InputError(
                f"column {shown(raw.name)} holds {raw.cells.type} here and held dates when the "
                "model was trained. Give the same column."
            )
        days = pc.cast(pc.cast(raw.cells, pa.date32(), safe=False), pa.int32())
        return np.asarray(pc.fill_null(days, NO_DAY).to_numpy(), dtype=np.int64)

    def says(self, name: str, example: str) -> str:
        return Said(
            "Column {name} is read as dates such as {example}: days since {first}.{time}",
            name=shown(name), example=shown(example), first=self.first,
            time=Said(" Times of day are not used." * (":" in example)),
        )  # fmt: skip


_EPOCH = datetime.date(1970, 1, 1)


def _is_date(raw: RawColumn) -> bool:
    kind = raw.cells.type
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def _find_dates(raw: RawColumn, texts: Sequence[str], asked: Reading, reader: CellReader) -> Dates:
    """Return how a column holds dates; `InputError` where day and month cannot be told apart."""
    order = _order(raw, texts, asked.parse, reader)
    days = Dates(order, "1970-01-01").all_days(raw, reader)
    there = days[days != NO_DAY]
    first = _EPOCH + datetime.timedelta(days=int(there.min()) if there.size else 0)
    return Dates(order, first.isoformat())


def _order(raw: RawColumn, texts: Sequence[str], parse: Sequence[str], reader: CellReader) -> str:
    written = [found for found in map(YEAR_LAST.fullmatch, texts) if found]
    if not written:
        return "year-first"
    for order in ORDERS[1:]:
        if order in parse:
            return order
    if any(found[2] == "." for found in written) or any(int(found[1]) > 12 for found in written):
        return "day-first"
    if any(int(found[3]) > 12 for found in written):
        return "month-first"
    raise reader.refusal(
        raw, written[0].string, "may have the day or the month first: no date of the column says "
        "which. Say --parse dates,day-first or --parse dates,month-first.",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Levels:
    """Categories whose levels are folded or grouped, or whose missing values are a level."""

    fold: bool  # case and blanks do not count; y and n are yes and no beside these
    missing: bool  # a missing value is the level "(missing)"
    kept: tuple[str, ...] | None  # levels that are kept

    def read(self, raw: RawColumn, reader: CellReader, known: Sequence[str]) -> CategoryColumn:
        column = reader.category(raw, known)
        levels = list(column.levels)
        if self.fold:
            levels = folded_levels(levels, known)
        if self.kept is not None:
            levels = [level if level in self.kept else RARE_LEVEL for level in levels]
        codes = column.codes.astype(np.int64)
        if self.missing:
            codes = np.where(codes < 0, len(levels), codes)
            levels.append(MISSING_LEVEL)
        return _category(raw.name, codes, levels)

    def says(self, name: str, _: str) -> str:
        did: list[Said] = []
        if self.fold:
            did.append(Said("levels alike but for case and blanks are one"))
        if self.kept is not None:
            levels = counted(len(self.kept), "level")
            rest = "all but {levels} are {rare}"
            did.append(Said(rest, levels=levels, rare=shown(RARE_LEVEL)))
        if self.missing:
            filled = "missing values are the level {level}"
            did.append(Said(filled, level=shown(MISSING_LEVEL)))
        told = reduce(lambda a, b: Said("{a}; {b}", a=a, b=b), did) if did else ""
        return Said("Column {name}: {did}.", name=shown(name), did=told)


def folded_levels(levels: Sequence[str], known: Sequence[str] = ()) -> list[str]:
    """Return levels in lower case, runs of blanks as one; y and n as yes and no beside these."""
    folded = [" ".join(level.casefold().split()) for level in levels]
    words = known_words(known) if known else one_word_for_each(folded)
    return [words.get(level, level) for level in folded]


def _category(name: str, codes: NDArray[np.int64], levels: Sequence[str]) -> CategoryColumn:
    """Return a category column; levels that are alike become one, those without a row go."""
    used = np.unique(codes[codes >= 0])
    names = sorted({levels[k] for k in used})
    place = {level: k for k, level in enumerate(names)}
    lookup = np.full(len(levels) + 1, MISSING_CODE, dtype=np.int32)  # the code -1 picks the last
    for k in used:
        lookup[k] = place[levels[k]]
    return CategoryColumn(name, lookup[codes], tuple(names))


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one column of a file becomes columns."""

    column: str
    how: Amounts | Dates | Levels | None = None  # None reads it as usual
    indicator: bool = False  # whether a last column says where a number is missing

    @property
    def names(self) -> tuple[str, ...]:
        made = f"{self.column} (days)" if isinstance(self.how, Dates) else self.column
        return (made, f"{self.column} {MISSING_LEVEL}") if self.indicator else (made,)

    def columns(
        self, raw: RawColumn, reader: CellReader, known: Sequence[str] = ()
    ) -> tuple[Column, ...]:
        how = self.how
        return self.with_indicator(how.read(raw, reader, known) if how else reader.numbers(raw))

    def with_indicator(self, made: Column) -> tuple[Column, ...]:
        absent = NumberColumn(self.names[-1], made.missing.astype(np.float64))
        return (made, absent) if self.indicator else (made,)


KINDS = {"amounts": Amounts, "dates": Dates, "levels": Levels, "number": None}


def recipe_data(recipe: Recipe) -> dict[str, Any]:
    kind = next(k for k, cls in KINDS.items() if cls is None or isinstance(recipe.how, cls))
    how = {} if recipe.how is None else asdict(recipe.how)
    return {"column": recipe.column, "kind": kind, "indicator": recipe.indicator, **how}


def find_recipe(
    raw: RawColumn, often: NDArray[np.int64], as_text: bool, asked: Reading, reader: CellReader
) -> tuple[Recipe, tuple[Column, ...]]:
    """Return how a column is read, and what that makes of it; `often` is how often cells count."""
    how: Amounts | Dates | Levels | None = None
    if not as_text and not raw.is_category:
        how = _values(raw, asked, reader)
    if how is None:
        column = reader.category(raw) if as_text else reader.column(raw)
        if isinstance(column, CategoryColumn):
            how = _levels(raw, column, often, asked, reader)
    if how is not None:
        column = how.read(raw, reader, ())
        texts, _, missing = text_values(raw)
        example = next((text for text in texts if text not in missing), "")
        reader.findings.notes.append(how.says(raw.name, example))
    absent = column.missing[often > 0]
    is_category = isinstance(column, CategoryColumn)
    indicator = not is_category and asked.missing_level and absent.any() and not absent.all()
    recipe = Recipe(raw.name, how, bool(indicator))
    return recipe, recipe.with_indicator(column)


def _values(raw: RawColumn, asked: Reading, reader: CellReader) -> Amounts | Dates | None:
    """Return how a column holds amounts or dates; None where it does not, or that was not asked."""
    if asked.reads_dates and _is_date(raw):
        return _find_dates(raw, (), asked, reader)
    if not asked.parse or not is_text(raw.cells) or reader.reads_as_numbers(raw):
        return None
    distinct, _, missing = text_values(raw)
    texts = [text for text in distinct if text not in missing]
    dates = sum(what_is(text) == "date" for text in texts)
    if dates * 2 > len(texts):
        return _find_dates(raw, texts, asked, reader) if asked.reads_dates else None
    return _find_amounts(texts, asked, reader.decimal)


def _levels(
    raw: RawColumn, column: CategoryColumn, often: NDArray[np.int64], asked: Reading,
    reader: CellReader,
) -> Levels | None:  # fmt: skip
    """Return how levels are folded and grouped; None where nothing changes."""
    fold = asked.fold_case and folded_levels(column.levels) != list(column.levels)
    missing = asked.missing_level and bool(often[column.missing].any())
    kept = None
    if asked.group_rare:
        folded = Levels(fold, False, None).read(raw, reader, ()) if fold else column
        counts = np.bincount(folded.codes + 1, often, minlength=len(folded.levels) + 1)[1:]
        frequent = [v for v, k in zip(folded.levels, counts, strict=True) if k >= asked.group_rare]
        kept = tuple(frequent) if len(frequent) < len(folded.levels) else None
    return Levels(fold, missing, kept) if fold or missing or kept is not None else None


def _by_text(
    raw: RawColumn, reader: CellReader, value: Callable[[str], float | int | None], nothing: float,
    wanted: str,
) -> NDArray[np.generic]:  # fmt: skip
    """Return a number for each row (N,) by its text; `InputError` names the first without one."""
    distinct, positions, missing = text_values(raw)
    values = [nothing if text in missing else value(text) for text in distinct]
    if None in values:
        raise reader.refusal(raw, distinct[values.index(None)], f"{wanted}.")
    found: NDArray[np.generic] = np.array(values)[positions]
    return found


def has_decimal_commas(recipes: Sequence[Recipe], decimal: str) -> bool:
    """Whether numbers of a table are text with a decimal comma; SQL for any database is without."""
    return decimal == "," or any(
        isinstance(recipe.how, Amounts) and recipe.how.decimal == "," for recipe in recipes
    )


def sources_of(names: Sequence[str], recipes: Sequence[Recipe]) -> tuple[str, ...]:
    """Return the columns of a file that these columns are made of, in order, each once."""
    source = {name: recipe.column for recipe in recipes for name in recipe.names}
    return tuple(dict.fromkeys(source.get(name, name) for name in names))


def refuse_same_names(names: Sequence[str], file: str) -> None:
    twice = [name for name, k in Counter(names).items() if k > 1]
    if twice:
        raise InputError(
            f"{file} would have two columns called {listed(twice)}, one of them made of another "
            "column: rename the column in the file, or leave it out with --drop."
        )
