"""What is in a table and what is wrong with it, all at once and before anything is learned.

Nothing is fitted and nothing compiled: columns are read as `read_table` would read them, and what
it would refuse is tried with the options that might read it. The options that are proposed have
been used: the table was read with them.
"""

from __future__ import annotations

import glob
import re
import shlex
import warnings
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix._later import pc
from separatrix.data import Floats, InputError, joined, typed
from separatrix.files import free_name
from separatrix.said import Said
from separatrix.tables.cells import (
    CellReader,
    Findings,
    distinct_texts,
    is_text,
    n_values,
    text_values,
    what_is,
)
from separatrix.tables.columns import CategoryColumn, Column, NumberColumn
from separatrix.tables.files.formats import read_raw
from separatrix.tables.files.source import Source, read_source
from separatrix.tables.gathering import Gathering
from separatrix.tables.labels import (
    SORTED,
    LabelColumn,
    ask_first,
    label_column,
    likely_yes,
    missing_labels,
    misspelt,
    one_spelling,
)
from separatrix.tables.options import Reading, find_column
from separatrix.tables.raw import Cells, RawColumn, RawTable
from separatrix.tables.read import FilePath, asking, of_raw
from separatrix.tables.recipes import (
    AMOUNTS,
    COMMAS_IN_SQL,
    Amounts,
    Dates,
    Recipe,
    find_recipe,
    folded_levels,
    has_decimal_commas,
)
from separatrix.tables.suspicions import MANY_LEVELS, code_of, decides, repeated_rows
from separatrix.tables.wording import MOST_NAMES, counted, listed, shown

MANY_ROWS = 100  # from which levels of a handful of rows are grouped
RARE = 5
MOST_DROPPED = 0.1  # of the rows, for want of a value
MOST_CLASSES = 10
DECIDES = "decides the answer alone: known before it?"
CONSTANT = "one value only"
PARSED_AS = "date", "money", "per cent", "number with marks"
FREE_TEXT = 3  # words in the usual value
ORDER = (  # of the options that are proposed: fields of `Reading`
    "delimiter encoding format query sheet quote header decimal fold_labels unlabelled parse "
    "fold_case missing group_rare text drop"
)


@dataclass(frozen=True, slots=True)
class ColumnCheck:
    """What is known of a column."""

    name: str
    kind: str
    example: str  # the first value that is not missing; "" without one
    missing: int
    holds: str  # the range of numbers, or the commonest levels
    suspicion: str  # why it may not be what it was read as; "" without a reason


@dataclass(frozen=True, slots=True)
class Check:
    """What `check_table` found."""

    name: str
    n_rows: int
    columns: tuple[ColumnCheck, ...]
    label: str | None
    labels: str  # how many rows each label has
    yes: str
    why_yes: str
    problems: tuple[str, ...]
    options: tuple[str, ...]  # of the command line, such as ("--label", "y", "--drop", "id")


def check_table(
    path: FilePath, label: str | None = None, base: Reading | None = None, target: str | None = None
) -> Check:
    """Return what is in a table, everything that is wrong with it, and options that read it."""
    problems: list[str] = []
    raw, base = _raw_of(read_source(path), Reading() if base is None else base, problems)
    return check_raw(raw, label, base, problems, target)


def check_raw(
    raw: RawTable, label: str | None, base: Reading, problems: list[str], target: str | None = None
) -> Check:
    """As `check_table`, of columns that were read before, with the problems of that."""
    return _Checking(raw, base, problems).check(label, target)


class _Checking:
    """The columns of a table as the options read them that are gathered meanwhile."""

    def __init__(self, raw: RawTable, base: Reading, problems: list[str]) -> None:
        self.raw, self.base, self.problems = raw, base, problems
        self.decimal = _decimal(raw, base.decimal)
        self.reader = CellReader(raw.place, self.decimal, Findings())
        self.labels: LabelColumn | None = None
        self.typed: dict[str, Column] = {}
        self.options: dict[str, Any] = {}  # of `Reading`, beside these
        self.parse: set[str] = set()
        self.text: list[str] = []
        self.drop: list[str] = []

    def check(self, label: str | None, target: str | None) -> Check:
        raw, problems = self.raw, self.problems
        if self.decimal != self.base.decimal:
            problems.append("Numbers have a decimal comma.")
        name = self._label_name(label)
        if name is not None:
            self._read_labels(raw.column(name))
        checks = [self._label(c) if c.name == name else self._feature(c) for c in raw.columns]
        lacking = [c.missing for of, c in self.typed.items() if of not in self.drop]
        if lacking and np.logical_or.reduce(lacking).mean() > MOST_DROPPED:
            self.options["missing"] = "level"
        self._say_what_is_mended(checks)
        self._group_rare_levels()
        if self.labels is not None:
            keys = [self._key(c) for c in raw.columns if c.name != name]
            problems += repeated_rows(keys, self.labels.codes, raw.place)
        if target == "onnx":
            self._read_plainly(checks)
        yes, why = ("", "")
        several = False
        if self.labels is not None:
            yes, why = likely_yes(self.labels.names) if len(self.labels.names) == 2 else ("", "")
            several = 2 < len(self.labels.names) <= MOST_CLASSES
        options: tuple[str, ...] = ()
        if name is not None and self.labels is not None:
            reading = self.reading
            question = ask_first if several else asking(reading, yes or None)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # each is a suspicion of a column
                    table, _ = of_raw(raw, Gathering(raw, reading, name), question)
                if target == "sql" and has_decimal_commas(table.recipes, self.decimal):
                    problems.append(COMMAS_IN_SQL)
                asked = ["--yes", yes] if yes and why != SORTED else []
                asked += ["--multiclass", "ova"] if several else []
                options = ("--label", name, *asked, *_words(reading))
            except InputError as error:
                problems.append(typed(error))
        return Check(
            raw.name, raw.lines.size, tuple(checks), name, _counts(self.labels), yes, why,
            tuple(problems), options,
        )  # fmt: skip

    @property
    def reading(self) -> Reading:
        """The table is read with these options."""
        return replace(
            self.base, decimal=self.decimal, parse=tuple(sorted(self.parse)),
            text=tuple(self.text), drop=tuple(self.drop), **self.options,
        )  # fmt: skip

    def _label_name(self, label: str | None) -> str | None:
        """Return the label column; the last of two values where none was named."""
        names, columns = self.raw.names, self.raw.columns
        if label is not None:
            try:
                return find_column(self.raw, "label", label)
            except InputError as error:
                alike = [name for name in names if _spelling(name) == _spelling(label)]
                if len(alike) != 1:
                    self.problems.append(typed(error))
                    return None
                said = "The label's column is {found}, not {asked}."
                self.problems.append(Said(said, found=shown(alike[0]), asked=shown(label)))
                return alike[0]
        two = [column.name for column in columns if n_values(column) == 2]
        two = two or [  # once case and blanks are folded, and y is yes beside yes
            column.name
            for column in columns
            if n_values(column, 4) <= 4 and len(set(folded_levels(list(_counted(column))))) == 2
        ]
        if not two:
            none = "No column has two values: say which one is the answer with --label COL."
            self.problems.append(Said(none))
            return None
        others = Said(" (others: {names})", names=listed(two[:-1], 5)) if two[1:] else ""
        said = "No --label was given: {name} is taken, the last column of two values{others}."
        self.problems.append(Said(said, name=shown(two[-1]), others=others))
        return two[-1]

    def _read_labels(self, column: RawColumn) -> None:
        """Read the labels, and note the options that make them usable."""
        problems, name = self.problems, shown(column.name)
        try:
            cells = self.reader.text(column)
        except InputError as error:
            problems.append(typed(error))
            return
        labels = label_column(column.name, cells, fold=True)
        distinct, _ = distinct_texts(cells)
        written = sorted(set(distinct) - missing_labels(distinct))
        if labels.numeric or len(written) == len(labels.names):
            labels = label_column(column.name, cells, fold=False)
        else:
            self.options["fold_labels"] = True
            same = defaultdict(list)
            for text, word in one_spelling(written).items():
                same[word].append(text)
            groups = [" and ".join(map(shown, texts)) for texts in same.values() if texts[1:]]
            problems.append(
                f"Labels in column {name} differ only in case or blanks: "
                f"{joined(groups, MOST_NAMES, '; ')}."
            )
        unlabelled = int((labels.codes < 0).sum())
        if unlabelled:
            self.options["unlabelled"] = "drop"
            problems.append(f"{counted(unlabelled, 'row')} without a label in {name}.")
        if len(labels.names) > 2:
            problems.append(
                f"Column {name} has {len(labels.names)} labels: --multiclass ova asks about each, "
                "--yes VALUE about one of them."
            )
            problems += misspelt(labels, _rows_of(labels))
        self.labels = labels

    def _label(self, column: RawColumn) -> ColumnCheck:
        texts = _counted(column)
        missing, first = self.raw.lines.size - texts.total(), next(iter(texts), "")
        return ColumnCheck(column.name, "label", first, missing, _levels_in_words(texts), "")

    def _feature(self, column: RawColumn) -> ColumnCheck:
        """Return what is known of a feature; note the options that it needs."""
        name, labels, (refusal, typed, recipe) = column.name, self.labels, self._read(column)
        numbers = None if isinstance(typed, CategoryColumn) else typed
        if numbers is not None and recipe is None:
            counts: Counter[str] = Counter()  # the texts of numbers are nearly all different
            missing = int(numbers.missing.sum())
            first = RawColumn(name, column.cells.slice(int(numbers.missing.argmin()), 1))
            example = text_values(first)[0][0]
        else:
            counts = _counted(column)
            missing, example = len(column.cells) - counts.total(), next(iter(counts), "")
        if missing == len(column.cells):
            self.drop.append(name)
            self.problems.append(f"Column {shown(name)} has no value in any row.")
            return ColumnCheck(name, "empty", "", missing, "", "empty")
        kind, holds = "category", _levels_in_words(counts)
        constant = isinstance(typed, CategoryColumn) and len(typed.levels) == 1
        if numbers is not None:
            values = numbers.values[~numbers.missing]
            kind, holds = "number", f"{values.min():.6g} to {values.max():.6g}"
            constant = bool(np.ptp(values) == 0.0)
        if constant and not (missing and recipe):
            suspicion = CONSTANT
            self.drop += [] if missing else [name]
        elif typed is None or recipe is not None:
            kind, suspicion = "refused", self._parsed(column, refusal, recipe, counts)
        elif isinstance(typed, CategoryColumn):
            suspicion = self._of_levels(typed)
        else:
            suspicion = self._of_numbers(column, values)
        if name in self.text:
            typed = self.reader.category(column)
        if typed is not None:
            self.typed[name] = typed
            if name not in self.drop and labels is not None and decides(typed, labels):
                said = [suspicion, DECIDES]
                if isinstance(typed, CategoryColumn) and len(typed.levels) <= len(labels.names):
                    self.drop.append(name)
                    said.reverse()  # the reason why it is left out comes first
                suspicion = "; ".join(filter(None, said))
        return ColumnCheck(name, kind, example, missing, holds, suspicion)

    def _read(self, column: RawColumn) -> tuple[InputError | None, Column | None, Recipe | None]:
        """Return why a column is refused, what it is if all is parsed, and by which recipe."""
        refusal: InputError | None = None
        try:
            typed = self.reader.column(column)
            if isinstance(typed, NumberColumn) or not is_text(column.cells):
                return None, typed, None
        except InputError as error:
            refusal = error
            if getattr(error, "kind", "") == "mixed":
                return refusal, None, None
        once = np.ones(len(column.cells), dtype=np.int64)
        for parse in ((*AMOUNTS, "dates"), (*AMOUNTS, "dates", "day-first")):
            try:
                recipe, made = find_recipe(column, once, False, Reading(parse=parse), self.reader)
                return refusal, made[0], recipe if recipe.how else None
            except InputError as error:
                refusal = error  # of what does not fit the rest, where most could be parsed
        return refusal, None, None

    def _parsed(
        self, column: RawColumn, refusal: InputError | None, recipe: Recipe | None,
        texts: Counter[str],
    ) -> str:  # fmt: skip
        """Return what text is parsed as; of other columns few levels are categories."""
        how = None if recipe is None else recipe.how
        if isinstance(how, Dates):
            self.parse.add("dates")
            written = [text.replace("-", "/").split("/") for text in texts]
            pairs = [[x.strip()[:2] for x in parts[:2]] for parts in written if len(parts) == 3]
            told = [list(map(int, pair)) for pair in pairs if all(map(str.isdigit, pair))]
            alike = bool(told) and max(map(max, told)) <= 12
            if how.order != "year-first" and alike:
                self.parse.add("day-first")
                self.problems.append(
                    f"Dates in column {shown(column.name)} may have the day or the month first: "
                    "the command takes the day (day-first); month-first is the other."
                )
            return "date"
        if isinstance(how, Amounts):
            brackets = any("(" in text for text in texts)
            money = bool(how.unit) or brackets
            word = "percent" if how.unit == "%" else "money" if money else "thousands"
            self.parse.add(word)
            return {"percent": "per cent", "money": "money"}.get(word, "number with marks")
        self.problems.append("" if refusal is None else typed(refusal))
        kinds = Counter(map(what_is, texts))
        few = is_text(column.cells) and len(texts) <= MANY_LEVELS and kinds["text"] > 0
        (self.text if few else self.drop).append(column.name)
        names = [name for name in ("number", "date", "text") if kinds[name]]
        return f"mixed: {' and '.join(names)}" if len(names) > 1 else "not read"

    def _of_levels(self, column: CategoryColumn) -> str:
        n, levels = int((~column.missing).sum()), len(column.levels)
        if levels > MANY_LEVELS and levels > n / 2:
            self.drop.append(column.name)
            words = np.median([len(level.split()) for level in column.levels])
            return "free text" if words >= FREE_TEXT else "identifier"
        if len(set(folded_levels(column.levels))) == levels:
            return ""
        self.options["fold_case"] = True
        return "levels alike but for case or blanks"

    def _of_numbers(self, column: RawColumn, values: Floats) -> str:
        why = code_of(column, values)
        if why is None:
            return "date written as a number" if _are_written_dates(values) else ""
        many = np.unique(values).size > values.size / 2
        (self.drop if many else self.text).append(column.name)
        return "identifier" if "twice" in why or "numbered" in why else "code (post code, phone)"

    def _say_what_is_mended(self, checks: list[ColumnCheck]) -> None:
        """Note what of the columns the options mend, a sentence for each option."""
        parsed = _parsed_of(checks)
        left = [c for c in checks if c.name in self.drop and c.kind != "refused"]
        lacking = [c for c in checks if c.missing and c.kind != "label" and c not in left]
        alone = [c.name for c in checks if DECIDES in c.suspicion and c not in left]
        alike = [c.name for c in checks if "levels alike" in c.suspicion]
        lack = (
            "{values} missing (--missing level, as more than {most:.0%} of the rows lack one; drop "
            "leaves these out): {columns}."
            if "missing" in self.options
            else "{values} missing (--missing drop, as at most {most:.0%} of the rows lack one; "
            "level or fill keeps these): {columns}."
        )
        told = (
            (parsed, "Text to be parsed (--parse): {columns}.", _named(parsed)),
            (lacking, lack, listed(c.name for c in lacking)),
            (left, "Better left out (--drop): {columns}.", _named(left)),
            (alone, "Columns that alone decide the label on every row: {columns}. Leave out what "
             "is known only after the answer: {options}.", listed(alone)),
            (self.text, "Better read as categories (--as-category): {columns}.", listed(self.text)),
            (alike, "Levels alike but for case or blanks (--fold-case): {columns}.", listed(alike)),
        )  # fmt: skip
        values = counted(sum(c.missing for c in lacking), "value")
        words = " ".join(f"--drop {shown(name)}" for name in alone[:MOST_NAMES])
        for found, said, columns in told:
            if found:
                given = {
                    "columns": columns,
                    "values": values,
                    "most": MOST_DROPPED,
                    "options": words,
                }
                self.problems.append(Said(said, **given))

    def _group_rare_levels(self) -> None:
        """Propose that levels of a handful of rows be grouped; say in which columns."""
        found = []
        for name, column in self.typed.items():
            if isinstance(column, CategoryColumn) and name not in self.drop:
                fold = "fold_case" in self.options
                levels = folded_levels(column.levels) if fold else column.levels
                _, of = np.unique(levels, return_inverse=True)
                rows = np.bincount(of[column.codes[~column.missing]])
                several = (rows < RARE).sum() > 1  # one alone stays what it is
                if column.codes.size >= MANY_ROWS and several:
                    found.append(name)
        if found:
            self.options["group_rare"] = RARE
            said = "Levels of fewer than {n} rows (--group-rare): {columns}."
            self.problems.append(Said(said, n=RARE, columns=listed(found)))

    def _read_plainly(self, checks: list[ColumnCheck]) -> None:
        """Propose what a graph can read: numbers and levels as they are written; say what not."""
        parsed = [c.name for c in _parsed_of(checks)]
        self.drop += [name for name in parsed if name not in self.drop]
        unknown = {"fold_case", "group_rare", "missing"} & self.options.keys()
        if not (self.parse or unknown):
            return
        self.parse = set()
        for name in unknown:
            del self.options[name]
        if "missing" in unknown:
            self.options["missing"] = "fill"
        left = f"; left out: {listed(parsed)}" if parsed else ""
        self.problems.append(
            f"ONNX knows no --parse, --fold-case, --group-rare and --missing level{left}."
        )

    def _key(self, column: RawColumn) -> NDArray[np.generic]:
        typed = self.typed.get(column.name)
        if typed is None:
            return text_values(column)[1]
        return typed.codes if isinstance(typed, CategoryColumn) else typed.values


def _words(reading: Reading) -> list[str]:
    """Return the options of a command that reads so."""
    words: list[str] = []
    for name in ORDER.split():
        value, option = getattr(reading, name), f"--{name.replace('_', '-')}"
        if value == getattr(Reading(), name):
            continue
        if isinstance(value, bool):
            words.append(option if value else f"--no-{name}")
        elif name == "parse":
            words += [option, ",".join(value)]
        elif isinstance(value, tuple):
            option = "--as-category" if name == "text" else option
            words += [word for column in value for word in (option, column)]
        else:
            words += [option, str(value)]
    return words


def _parsed_of(checks: list[ColumnCheck]) -> list[ColumnCheck]:
    return [c for c in checks if c.suspicion.partition("; ")[0] in PARSED_AS]


def _named(columns: list[ColumnCheck]) -> str:
    return joined([f"{shown(c.name)} ({c.suspicion.partition('; ')[0]})" for c in columns])


def command(check: Check, path: str) -> list[str]:
    """Return the words of the command that learns with the options proposed, quoted for a shell."""
    stem = path.rsplit("/", 1)[-1].rsplit(".", 1)[0].lstrip("-") or "table"  # no option
    if glob.has_magic(stem):  # a pattern for files: what is plain of it
        stem = re.split(r"[*?\[]", stem)[0].rstrip("-_. ") or "table"
    model, report = free_name(f"{stem}.model.json"), free_name(f"{stem}.report.html")
    files = ("--model", model, "--report", report)
    return [_quoted(word) for word in ("separatrix", "learn", path, *check.options, *files)]


def _quoted(word: str) -> str:
    """Return a word as a shell takes it; what a terminal would act on is written as its number."""
    if word.isprintable():
        return shlex.quote(word)
    codes = (f"\\x{ord(c):02x}" if ord(c) < 0x80 else f"\\U{ord(c):08x}" for c in word)
    kept = (c.isprintable() and c not in "'\\" for c in word)
    safe = "".join(c if k else code for c, k, code in zip(word, kept, codes, strict=True))
    return f"$'{safe}'"


def _raw_of(source: Source, base: Reading, problems: list[str]) -> tuple[RawTable, Reading]:
    """Return the columns; another encoding, and data in the first line, are found out."""
    for _ in range(3):
        try:
            return read_raw(source, base), base
        except InputError as error:
            said = typed(error)
            if "--encoding" in said and base.encoding is None:
                base = replace(base, encoding="cp1252")
            elif "may be data" in said and base.header is None:
                base = replace(base, header=False)
            else:
                raise
            problems.append(said)
    return read_raw(source, base), base


def _decimal(raw: RawTable, usual: str) -> str:
    """Return "," where texts are numbers with a decimal comma and none has a decimal point."""
    if raw.format != "csv" or usual == "," or raw.dialect is None or raw.dialect.delimiter == ",":
        return usual

    def numbers(mark: str) -> dict[str, Cells]:
        reader = CellReader(raw.place, mark, Findings())
        return {c.name: c.cells for c in raw.columns if reader.reads_as_numbers(c)}

    points, commas = numbers("."), numbers(",")
    pointed = any(pc.any(pc.match_substring(c, ".")).as_py() for c in points.values())
    return "," if commas.keys() - points.keys() and not pointed else usual


def _spelling(name: str) -> str:
    return "".join(name.casefold().split())


def _rows_of(labels: LabelColumn) -> NDArray[np.int64]:
    return np.bincount(labels.codes[labels.codes >= 0], minlength=len(labels.names))


def _counts(labels: LabelColumn | None) -> str:
    pairs = [] if labels is None else zip(labels.names, _rows_of(labels), strict=True)
    return joined([f"{shown(name)} {k:,}" for name, k in pairs], 5)


def _counted(column: RawColumn) -> Counter[str]:
    distinct, positions, missing = text_values(column)
    counts = zip(distinct, np.bincount(positions).tolist(), strict=True)
    return Counter({text: k for text, k in counts if text not in missing})


def _are_written_dates(values: Floats) -> bool:
    month, day = values // 100 % 100, values % 100
    dates = (values >= 1.9e7) & (values < 2.1e7) & (month >= 1) & (month <= 12)
    return bool((dates & (day >= 1) & (day <= 31) & (day == np.rint(day))).all())


def _levels_in_words(counts: Counter[str]) -> str:
    names = [name for name, _ in counts.most_common(4)]
    more = ", ..." if len(counts) > 4 else ""
    return f"{len(counts)}: {', '.join(name[:12] for name in names)}{more}"
