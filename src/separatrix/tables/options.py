"""How a table is read: one frozen object, handed on from the calls to the last cell.

And what it makes of the columns: which is the label, has weights or groups, and what is left out.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TypedDict, TypeVar

from separatrix.data import InputError
from separatrix.tables.cells import n_values
from separatrix.tables.columns import MISSING_CHOICES, refuse_other_choice
from separatrix.tables.labels import UNLABELLED_CHOICES
from separatrix.tables.raw import RawTable
from separatrix.tables.recipes import DATES, PARSED
from separatrix.tables.wording import Problems, listed, nearest, shown

WHITESPACE = "whitespace"
LABEL, GROUP = "label", "qid"  # what the columns of a LIBSVM file are called
LAST = "last"  # --label last: the last column of a file without names
DELIMITER_WORDS = {
    "tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": WHITESPACE,
    WHITESPACE: WHITESPACE,
}  # fmt: skip

Call = TypeVar("Call", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a CSV file was read: enough to read it again."""

    delimiter: str  # one character, or "whitespace" for any run of blanks and tabs
    encoding: str  # a Python codec name
    header: bool  # whether the first line holds the column names
    quote: str  # "" for none
    decimal: str  # "." or ","


class ReadingOptions(TypedDict, total=False):
    """The options of every call that reads a table to learn from: see `read_table`."""

    drop: Sequence[str]
    weight: str | None
    group: str | None
    text: Sequence[str]
    missing: str
    parse: Sequence[str]
    fold_case: bool
    group_rare: int
    unlabelled: str
    delimiter: str | None
    encoding: str | None
    header: bool | None
    quote: str
    decimal: str
    fold_labels: bool
    format: str | None
    query: str | None
    sheet: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a table is read; the parameters are those of `read_table`."""

    drop: Sequence[str] = ()
    weight: str | None = None
    group: str | None = None
    text: Sequence[str] = ()
    missing: str = "drop"
    parse: Sequence[str] = ()
    fold_case: bool = False
    group_rare: int = 0
    unlabelled: str = "refuse"
    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    quote: str = '"'
    decimal: str = "."
    fold_labels: bool = False
    format: str | None = None
    query: str | None = None
    sheet: str | None = None

    def __post_init__(self) -> None:
        for name, usual in (("decimal", "."), ("quote", '"')):
            if getattr(self, name) is None:  # commands hand on what was not asked
                object.__setattr__(self, name, usual)
        if isinstance(self.drop, str) or isinstance(self.text, str):
            raise InputError("drop and text are lists of column names, not one name: (name,).")
        refuse_other_choice("missing", self.missing, MISSING_CHOICES)
        if isinstance(self.parse, str):
            raise InputError('parse is a list of kinds of text, not one: ("money",).')
        other = [word for word in self.parse if word not in PARSED]
        if other:
            raise InputError(f"--parse takes {', '.join(PARSED)}; it has {listed(other)}.")
        if {"day-first", "month-first"} <= set(self.parse):
            raise InputError("--parse has both day-first and month-first: give one of them.")
        if type(self.group_rare) is not int or self.group_rare < 0:
            raise InputError(
                f"--group-rare must be a number of rows from 0 up; it is {self.group_rare!r}."
            )
        refuse_other_choice("unlabelled", self.unlabelled, UNLABELLED_CHOICES)

    @property
    def reads_dates(self) -> bool:
        return not set(DATES).isdisjoint(self.parse)

    @property
    def missing_level(self) -> bool:
        """Whether missing values are a level of their own."""
        return self.missing == "level"

    @property
    def mark(self) -> str | None:
        """The delimiter asked for, words such as "tab" turned into their character."""
        return self.delimiter and DELIMITER_WORDS.get(self.delimiter, self.delimiter)

    def as_label(self, yes: str | None) -> str | None:
        return str(yes).strip().casefold() if self.fold_labels and yes is not None else yes

    def refuse_dialect(self) -> None:
        if self.decimal not in (".", ","):
            raise InputError(f"--decimal must be . or , ; it is {self.decimal!r}.")
        if len(self.quote) > 1 or (self.quote and self.quote in "\r\n \t"):
            raise InputError(f"--quote must be one character, or empty; it is {self.quote!r}.")
        mark = self.mark
        if mark is None or mark == WHITESPACE:
            return
        if len(mark) != 1 or mark in "\r\n" or mark == self.quote:
            raise InputError(
                f"--delimiter must be one character (not a line end, not the quote), tab or "
                f"{WHITESPACE}; it is {mark!r}."
            )


def shows_options(call: Call) -> Call:
    """Give a call that takes ``**options: Unpack[ReadingOptions]`` a signature that names them."""
    own = list(inspect.signature(call).parameters.values())[:-1]
    keyword = inspect.Parameter.KEYWORD_ONLY
    options = [
        inspect.Parameter(f.name, keyword, default=f.default, annotation=f.type)
        for f in fields(Reading)
    ]
    signature = inspect.signature(call).replace(parameters=[*own, *options])
    vars(call)["__signature__"] = signature
    return call


@dataclass(frozen=True, slots=True)
class Roles:
    """Which column is what, by the exact names; `label` is None where it could not be found."""

    label: str | None
    weight: str | None
    group: str | None
    drop: tuple[str, ...]
    text: tuple[str, ...]

    @property
    def extra(self) -> tuple[str, ...]:
        named = (self.label, self.weight, self.group)
        return (*(name for name in named if name is not None), *self.drop)


def roles_of(raw: RawTable, asked: Reading, label: str | None, problems: Problems) -> Roles:
    """Return the exact names of the columns asked for; problems name the nearest ones."""
    group = asked.group
    if raw.format == "svmlight":
        label = label or LABEL
        group = GROUP if group is None and GROUP in raw.names else group
    if not label:
        two = [column.name for column in raw.columns if n_values(column) == 2]
        said = f"Columns with two values: {listed(two)}. " if two else ""
        with problems.noted():
            raise InputError(
                f"{raw.name}: say which column holds the labels with --label NAME. {said}"
                f"The columns are {listed(raw.names)}."
            )

    def found(option: str, name: str | None) -> list[str]:
        if name:
            with problems.noted():
                return [find_column(raw, option, name)]
        return []

    roles = Roles(
        next(iter(found("label", label)), None),
        next(iter(found("weight", asked.weight)), None),
        next(iter(found("group", group)), None),
        tuple(dict.fromkeys(exact for name in asked.drop for exact in found("drop", name))),
        tuple(exact for name in asked.text for exact in found("text", name)),
    )
    with problems.noted():
        twice, times = Counter(roles.extra or [""]).most_common(1)[0]
        if times > 1:
            raise InputError(
                f"column {shown(twice)} cannot be two of label, weight, group and dropped at once."
            )
        if set(raw.names) <= set(roles.extra):
            raise InputError(
                f"{raw.name} has no feature column left: there is nothing to learn from."
            )
    return roles


def find_column(raw: RawTable, option: str, name: str) -> str:
    if name in raw.names:
        return name
    if not raw.has_header and raw.format == "csv":
        numbers = {str(k): column for k, column in enumerate(raw.names, 1)}
        numbers[LAST] = raw.names[-1]
        if name in numbers:
            return numbers[name]
    bare = [column for column in raw.names if column.strip() == name.strip()]
    if len(bare) == 1:  # a header such as "age, income, label"
        return bare[0]
    raise InputError(
        f"{raw.name} has no column {shown(name)} (--{option}). {nearest(name, raw.names)}"
    )
