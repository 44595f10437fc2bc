"""What is in a table and what is wrong with it, all at once and before anything is learned.

Nothing is fitted and nothing compiled: columns are read as `read_table` would read them, and what
it would refuse is tried with the options that might read it. The options that are proposed have
been used: the table was read with them.
"""

from __future__ import annotations

import datetime
import glob
import re
import shlex
import warnings
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

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
from separatrix.tables.columns import CategoryColumn, Column, NumberColumn, SparseColumn
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
from separatrix.tables.raw import RawColumn, RawTable
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


@dataclass(slots=True)
class _Proposal:
    """The options gathered so far, and the columns as they read them."""

    typed: dict[str, Column] = field(default_factory=dict)
    parse: set[str] = field(default_factory=set)
    text: list[str] = field(default_factory=list)
    drop: list[str] = field(default_factory=list)
    fold_case: bool = False
    missing: str = "drop"
    group_rare: int = 0
    fold_labels: bool = False
    unlabelled: str = "refuse"
    decimal: str = "."
    several: bool = False
    yes: str = ""
    why_yes: str = ""

    def reading(self, base: Reading) -> Reading:
        return replace(
            base, parse=tuple(sorted(self.parse)), text=tuple(self.text), drop=tuple(self.drop),
            fold_case=self.fold_case, missing=self.missing, group_rare=self.group_rare,
            fold_labels=self.fold_labels, unlabelled=self.unlabelled, decimal=self.decimal,
        )  # fmt: skip

    def words(self, label: str, base: Reading) -> tuple[str, ...]:
        said = {"--delimiter": base.delimiter, "--encoding": base.encoding, "--format": base.format,
                "--query": base.query, "--sheet": base.sheet}  # fmt: skip
        words = ["--label", label]
        words += ["--yes", self.yes] if self.yes and self.why_yes != SORTED else []
        words += [word for name, value in said.items() if value for word in (name, value)]
        words += [] if base.quote == '"' else ["--quote", base.quote]
        words += [] if base.header is None else ["--header" if base.header else "--no-header"]
        words += [] if self.decimal == "." else ["--decimal", self.decimal]
        words += ["--fold-labels"] * self.fold_labels
        words += [] if self.unlabelled == "refuse" else ["--unlabelled", self.unlabelled]
        words += ["--multiclass", "ova"] * self.several
        words += ["--parse", ",".join(sorted(self.parse))] * bool(self.parse)
        words += ["--fold-case"] * self.fold_case
        words += [] if self.missing == "drop" else ["--missing", self.missing]
        words += ["--group-rare", str(self.group_rare)] * bool(self.group_rare)
        words += [word for name in self.text for word in ("--as-category", name)]
        words += [word for name in self.drop for word in ("--drop", name)]
        return tuple(words)


def check_table(
    path: FilePath, label: str | None = None, base: Reading | None = None, target: str | None = None
) -> Check:
    """Return what is in a table, everything that is wrong with it, and options that read it."""
    base = Reading() if base is None else base
    problems: list[str] = []
    raw, base = _raw_of(read_source(path), base, problems)
    return check_raw(raw, label, base, problems, target)


def check_raw(
    raw: RawTable, label: str | None, base: Reading, problems: list[str], target: str | None = None
) -> Check:
    """As `check_table`, of columns that were read before, with the problems of that."""
    proposal = _Proposal(decimal=_decimal(raw, base.decimal))
    reader = CellReader(raw.place, proposal.decimal, Findings())
    if proposal.decimal != base.decimal:
        problems.append("Numbers have a decimal comma.")
    name = _label_name(raw, label, problems)
    labels = None if name is None else _labels(raw.column(name), reader, proposal, problems)
    checks = []
    for column in raw.columns:
        if column.name != name:
            checks.append(_checked(column, reader, proposal, labels, problems))
            continue
        texts, n = _counted(column), raw.lines.size
        first, holds = next(iter(texts), ""), _levels_in_words(texts)
        checks.append(ColumnCheck(name, "label", first, n - texts.total(), holds, ""))
    lacking = [c.missing for of, c in proposal.typed.items() if of not in proposal.drop]
    if lacking and np.logical_or.reduce(lacking).mean() > MOST_DROPPED:
        proposal.missing = "level"
    problems += _mended(checks, proposal) + _rare_levels(proposal)
    if labels is not None:
        keys = [_key(c, proposal) for c in raw.columns if c.name != name]
        problems += repeated_rows(keys, labels.codes, raw.place)
    if target == "onnx":
        problems += _plainly(checks, proposal)
    options: tuple[str, ...] = ()
    if name is not None and labels is not None:
        reading = proposal.reading(base)
        about = asking(reading, proposal.yes or None)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # each is a suspicion of a column
                gathering = Gathering(raw, reading, name)
                table, _ = of_raw(raw, gathering, ask_first if proposal.several else about)
            if target == "sql" and has_decimal_commas(table.recipes, proposal.decimal):
                problems.append(COMMAS_IN_SQL)
            options = proposal.words(name, base)
        except InputError as error:
            problems.append(typed(error))
    return Check(
        raw.name, raw.lines.size, tuple(checks), name, _counts(labels), proposal.yes,
        proposal.why_yes, tuple(problems), options,
    )  # fmt: skip


def _plainly(checks: list[ColumnCheck], proposal: _Proposal) -> list[str]:
    """Propose what a graph can read: numbers and levels as they are written; say what it cannot."""
    parsed = [c.name for c in checks if c.suspicion.partition("; ")[0] in PARSED_AS]
    changed = proposal.parse or proposal.fold_case or proposal.group_rare
    proposal.drop += [name for name in parsed if name not in proposal.drop]
    proposal.parse, proposal.fold_case, proposal.group_rare = set(), False, 0
    if proposal.missing == "level":
        changed, proposal.missing = True, "fill"
    left = f"; left out: {listed(parsed)}" if parsed else ""
    told = f"ONNX knows no --parse, --fold-case, --group-rare and --missing level{left}."
    return [told] if changed else []


def _mended(checks: list[ColumnCheck], proposal: _Proposal) -> list[str]:
    """Return what of the columns the options mend, a sentence for each option."""
    parsed = [c for c in checks if c.suspicion.partition("; ")[0] in PARSED_AS]
    left = [c for c in checks if c.name in proposal.drop and c.kind != "refused"]
    lacking = [c for c in checks if c.missing and c.kind != "label" and c not in left]
    told: list[str] = []
    if parsed:
        told.append(Said("Text to be parsed (--parse): {columns}.", columns=_named(parsed)))
    if lacking:
        n = sum(c.missing for c in lacking)
        said = (
            "{values} missing (--missing level, as more than {most:.0%} of the rows lack one; drop "
            "leaves these out): {columns}."
        )
        if proposal.missing == "drop":
            said = (
                "{values} missing (--missing drop, as at most {most:.0%} of the rows lack one; "
                "level or fill keeps these): {columns}."
            )
        names, values = listed(c.name for c in lacking), counted(n, "value")
        told.append(Said(said, values=values, most=MOST_DROPPED, columns=names))
    if left:
        told.append(Said("Better left out (--drop): {columns}.", columns=_named(left)))
    alone = [c.name for c in checks if DECIDES in c.suspicion and c not in left]
    if alone:
        words = " ".join(f"--drop {shown(name)}" for name in alone[:MOST_NAMES])
        told.append(
            Said(
                "Columns that alone decide the label on every row: {columns}. Leave out what is "
                "known only after the answer: {options}.",
                columns=listed(alone), options=words,
            )
        )  # fmt: skip
    if proposal.text:
        said = "Better read as categories (--as-category): {columns}."
        told.append(Said(said, columns=listed(proposal.text)))
    if proposal.fold_case:
        alike = [c.name for c in checks if "levels alike" in c.suspicion]
        said = "Levels alike but for case or blanks (--fold-case): {columns}."
        told.append(Said(said, columns=listed(alike)))
    return told


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
    comma = CellReader(raw.place, ",", Findings())
    point = CellReader(raw.place, ".", Findings())
    columns = [column for column in raw.columns if is_text(column.cells)]
    commas = [c for c in columns if comma.reads_as_numbers(c) and not point.reads_as_numbers(c)]
    pointed = any(
        point.reads_as_numbers(c) and pc.any(pc.match_substring(c.cells, ".")).as_py()
        for c in columns
    )
    return "," if commas and not pointed else usual


def _label_name(raw: RawTable, label: str | None, problems: list[str]) -> str | None:
    """Return the label column; the last of two values where none was named."""
    if label is not None:
        try:
            return find_column(raw, "label", label)
        except InputError as error:
            alike = [name for name in raw.names if _spelling(name) == _spelling(label)]
            if len(alike) != 1:
                problems.append(typed(error))
                return None
            said = "The label's column is {found}, not {asked}."
            problems.append(Said(said, found=shown(alike[0]), asked=shown(label)))
            return alike[0]
    two = [column.name for column in raw.columns if n_values(column) == 2]
    two = two or [  # once case and blanks are folded, and y is yes beside yes
        column.name
        for column in raw.columns
        if n_values(column, 4) <= 4 and len(set(folded_levels(list(_counted(column))))) == 2
    ]
    if not two:
        none = "No column has two values: say which one is the answer with --label COL."
        problems.append(Said(none))
        return None
    others = Said(" (others: {names})", names=listed(two[:-1], 5)) if two[1:] else ""
    said = "No --label was given: {name} is taken, the last column of two values{others}."
    problems.append(Said(said, name=shown(two[-1]), others=others))
    return two[-1]


def _spelling(name: str) -> str:
    return "".join(name.casefold().split())


def _labels(
    column: RawColumn, reader: CellReader, proposal: _Proposal, problems: list[str]
) -> LabelColumn | None:
    """Return the labels, and note the options that make them usable."""
    try:
        cells = reader.text(column)
    except InputError as error:
        problems.append(typed(error))
        return None
    labels = label_column(column.name, cells, fold=True)
    distinct, _ = distinct_texts(cells)
    written = sorted(set(distinct) - missing_labels(distinct))
    if labels.numeric or len(written) == len(labels.names):
        labels = label_column(column.name, cells, fold=False)
    else:
        proposal.fold_labels = True
        same = defaultdict(list)
        for text, word in one_spelling(written).items():
            same[word].append(text)
        groups = [" and ".join(map(shown, texts)) for texts in same.values() if texts[1:]]
        problems.append(
            f"Labels in column {shown(column.name)} differ only in case or blanks: "
            f"{joined(groups, MOST_NAMES, '; ')}."
        )
    unlabelled = int((labels.codes < 0).sum())
    if unlabelled:
        proposal.unlabelled = "drop"
        problems.append(f"{counted(unlabelled, 'row')} without a label in {shown(column.name)}.")
    if len(labels.names) > 2:
        proposal.several = len(labels.names) <= MOST_CLASSES
        problems.append(
            f"Column {shown(column.name)} has {len(labels.names)} labels: --multiclass ova asks "
            "about each, --yes VALUE about one of them."
        )
        known = labels.codes[labels.codes >= 0]
        problems += misspelt(labels, np.bincount(known, minlength=len(labels.names)))
    if len(labels.names) == 2:
        proposal.yes, proposal.why_yes = likely_yes(labels.names)
    return labels


def _counts(labels: LabelColumn | None) -> str:
    if labels is None:
        return ""
    counts = np.bincount(labels.codes[labels.codes >= 0], minlength=len(labels.names))
    return joined([f"{shown(n)} {k:,}" for n, k in zip(labels.names, counts, strict=True)], 5)


def _counted(column: RawColumn) -> Counter[str]:
    distinct, positions, missing = text_values(column)
    counts = zip(distinct, np.bincount(positions).tolist(), strict=True)
    return Counter({text: k for text, k in counts if text not in missing})


def _checked(
    column: RawColumn, reader: CellReader, proposal: _Proposal, labels: LabelColumn | None,
    problems: list[str],
) -> ColumnCheck:  # fmt: skip
    """Return what is known of a feature; what it needs goes into the proposal."""
    refusal, typed, recipe = _read(column, reader)
    kind = "category" if isinstance(typed, CategoryColumn) else "number"
    holds = "" if typed is None or typed.missing.all() else _range(typed)
    if kind == "number" and recipe is None and typed is not None:
        counts: Counter[str] = Counter()  # the texts of numbers are nearly all different
        missing = int(typed.missing.sum())
        first = RawColumn(column.name, column.cells.slice(int(typed.missing.argmin()), 1))
        example = text_values(first)[0][0]
    else:
        counts = _counted(column)
        missing = len(column.cells) - counts.total()
        example, holds = next(iter(counts), ""), holds or _levels_in_words(counts)
    if missing == len(column.cells):
        proposal.drop.append(column.name)
        problems.append(f"Column {shown(column.name)} has no value in any row.")
        return ColumnCheck(column.name, "empty", "", missing, "", "empty")
    if typed is None:
        kind, suspicion = "refused", _unreadable(column, refusal, counts, proposal, problems)
    elif not missing and (
        len(typed.levels) == 1 if isinstance(typed, CategoryColumn) else np.ptp(typed.values) == 0.0
    ):
        suspicion = CONSTANT
        proposal.drop.append(column.name)
    elif recipe is not None:
        kind, suspicion = "refused", _parsed(column, recipe, counts, proposal, problems)
    elif isinstance(typed, CategoryColumn):
        suspicion = _category_suspicion(column, typed, proposal)
    else:
        suspicion = _number_suspicion(column, typed, proposal)
    if column.name in proposal.text:
        typed = reader.category(column)
    if typed is not None:
        proposal.typed[column.name] = typed
        if column.name not in proposal.drop and labels is not None and decides(typed, labels):
            said = [suspicion, DECIDES]
            if isinstance(typed, CategoryColumn) and len(typed.levels) <= len(labels.names):
                proposal.drop.append(column.name)
                said.reverse()  # the reason why it is left out comes first
            suspicion = "; ".join(filter(None, said))
    return ColumnCheck(column.name, kind, example, missing, holds, suspicion)


def _key(column: RawColumn, proposal: _Proposal) -> NDArray[np.generic]:
    typed = proposal.typed.get(column.name)
    if typed is None:
        return text_values(column)[1]
    return typed.codes if isinstance(typed, CategoryColumn) else typed.values


def _read(
    column: RawColumn, reader: CellReader
) -> tuple[InputError | None, Column | None, Recipe | None]:
    """Return why a column is refused, what it is when everything is parsed, and by which recipe."""
    refusal: InputError | None = None
    try:
        typed = reader.column(column)
        if isinstance(typed, NumberColumn) or not is_text(column.cells):
            return None, typed, None
    except InputError as error:
        refusal = error
        if getattr(error, "kind", "") == "mixed":
            return refusal, None, None
    rows = np.arange(len(column.cells))
    for parse in ((*AMOUNTS, "dates"), (*AMOUNTS, "dates", "day-first")):
        try:
            recipe, made = find_recipe(column, rows, False, Reading(parse=parse), reader)
            return refusal, made[0], recipe
        except InputError as error:
            refusal = error  # of what does not fit the rest, where most could be parsed
    return refusal, None, None


def _parsed(
    column: RawColumn, recipe: Recipe, texts: Iterable[str], proposal: _Proposal,
    problems: list[str],
) -> str:  # fmt: skip
    if isinstance(recipe.how, Dates):
        proposal.parse.add("dates")
        written = [text.replace("-", "/").split("/") for text in texts]
        told = [p for p in written if len(p) == 3 and all(x.strip()[:2].isdigit() for x in p[:2])]
        alike = bool(told) and all(int(p[0]) <= 12 and int(p[1]) <= 12 for p in told)
        if recipe.how.order != "year-first" and alike:
            proposal.parse.add("day-first")
            problems.append(
                f"Dates in column {shown(column.name)} may have the day or the month first: the "
                "command takes the day (day-first); month-first is the other."
            )
        return "date"
    unit = recipe.how.unit if isinstance(recipe.how, Amounts) else ""
    word = "percent" if unit == "%" else "money" if unit else "thousands"
    if word == "thousands" and any("(" in text for text in texts):
        word = "money"
    proposal.parse.add(word)
    return {"percent": "per cent", "money": "money", "thousands": "number with marks"}[word]


def _unreadable(
    column: RawColumn, refusal: InputError | None, texts: Collection[str], proposal: _Proposal,
    problems: list[str],
) -> str:  # fmt: skip
    """Return why a column cannot be read; few levels become categories, others are left out."""
    problems.append("" if refusal is None else typed(refusal))
    kinds = Counter(map(what_is, texts))
    few = is_text(column.cells) and len(texts) <= MANY_LEVELS and kinds["text"] > 0
    (proposal.text if few else proposal.drop).append(column.name)
    names = [name for name in ("number", "date", "text") if kinds[name]]
    return f"mixed: {' and '.join(names)}" if len(names) > 1 else "not read"


def _category_suspicion(column: RawColumn, typed: CategoryColumn, proposal: _Proposal) -> str:
    n, levels = int((~typed.missing).sum()), len(typed.levels)
    if levels > MANY_LEVELS and levels > n / 2:
        proposal.drop.append(column.name)
        words = np.median([len(level.split()) for level in typed.levels])
        return "free text" if words >= FREE_TEXT else "identifier"
    if len(set(folded_levels(typed.levels))) < levels:
        proposal.fold_case = True
        return "levels alike but for case or blanks"
    return CONSTANT if len(typed.levels) == 1 else ""


def _number_suspicion(
    column: RawColumn, typed: NumberColumn | SparseColumn, proposal: _Proposal
) -> str:
    values = typed.values[~typed.missing]
    why = code_of(column, values)
    if why is None:
        if _is_written_date(values):
            return "date written as a number"
        return CONSTANT if (values == values[0]).all() else ""
    many = np.unique(values).size > values.size / 2
    (proposal.drop if many else proposal.text).append(column.name)
    return "identifier" if "twice" in why or "numbered" in why else "code (post code, phone)"


def _is_written_date(values: Floats) -> bool:
    if not ((values >= 1.9e7) & (values < 2.1e7) & (values == np.rint(values))).all():
        return False
    for value in np.unique(values)[:1000].astype(int).tolist():
        try:
            datetime.date(value // 10_000, value // 100 % 100, value % 100)
        except ValueError:
            return False
    return True


def _rare_levels(proposal: _Proposal) -> list[str]:
    """Propose that levels of a handful of rows be grouped; say in which columns."""
    found = []
    for name, column in proposal.typed.items():
        if isinstance(column, CategoryColumn) and name not in proposal.drop:
            folded = folded_levels(column.levels) if proposal.fold_case else column.levels
            rows: Counter[str] = Counter()
            for level, k in zip(folded, np.bincount(column.codes[column.codes >= 0]), strict=True):
                rows[level] += int(k)
            several = sum(k < RARE for k in rows.values()) > 1  # one alone stays what it is
            if column.codes.size >= MANY_ROWS and several:
                found.append(name)
    if not found:
        return []
    proposal.group_rare = RARE
    said = "Levels of fewer than {n} rows (--group-rare): {columns}."
    return [Said(said, n=RARE, columns=listed(found))]


def _range(column: Column) -> str:
    if isinstance(column, CategoryColumn):
        return ""
    values = column.values[~column.missing]
    return f"{values.min():.6g} to {values.max():.6g}"


def _levels_in_words(counts: Counter[str]) -> str:
    names = [name for name, _ in counts.most_common(4)]
    more = ", ..." if len(counts) > 4 else ""
    return f"{len(counts)}: {', '.join(name[:12] for name in names)}{more}"
