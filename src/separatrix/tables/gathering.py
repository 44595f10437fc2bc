"""The rows of a table, a chunk at a time: typed cells, and all that is wrong with them at once.

`add` takes the rows of a chunk and returns what is kept of them: a number or the code of a text for
each cell. `find` then says what columns these become, and `columns` makes them of any rows. A table
in memory is one chunk; what is kept of a larger one is written to a scratch file in between.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.data import (
    LARGEST_WEIGHT,
    Floats,
    InputError,
    SeparatrixWarning,
    joined,
    typed,
)
from separatrix.said import Said
from separatrix.tables.cells import (
    THIS_BLOCK,
    CellReader,
    ColumnError,
    Findings,
    WaysOut,
    describe_categories,
    learning_ways_out,
    parsed,
    trimmed,
)
from separatrix.tables.columns import (
    CategoryColumn,
    CategoryEncoding,
    Column,
    NumberEncoding,
)
from separatrix.tables.kept import Kept, Made, Texts, Values
from separatrix.tables.labels import (
    LabelColumn,
    Question,
    label_column,
    misspelt,
    unlabelled_refusal,
)
from separatrix.tables.options import Reading, Roles, roles_of
from separatrix.tables.raw import RawTable
from separatrix.tables.recipes import Recipe, find_recipe, refuse_same_names
from separatrix.tables.suspicions import suspicions
from separatrix.tables.wording import Problems, counted, listed, shown

AnyColumn = Column | NumberEncoding | CategoryEncoding


@dataclass(frozen=True, slots=True)
class Part:
    """What is kept of some rows."""

    features: Sequence[Values]  # numbers, or codes of texts, of each column
    labels: NDArray[np.int64]  # codes of texts
    lines: NDArray[np.int64]
    weight: Floats | None = None
    group: NDArray[np.int64] | None = None


class Gathering:
    """The rows of one table, whose first are given, while they are read and afterwards."""

    def __init__(
        self, raw: RawTable, reading: Reading, label: str | None,
        ways_out: WaysOut = learning_ways_out, given: Sequence[Recipe] | None = None,
        *, in_chunks: bool = False, roles: Roles | None = None,
    ) -> None:  # fmt: skip
        self.reading, self.ways_out, self.in_chunks = reading, ways_out, in_chunks
        self.names, self.name, self.word = raw.names, raw.name, raw.line_word
        self.dialect = raw.dialect
        self.given = {recipe.column: recipe for recipe in given or ()}
        self.n = 0  # rows
        self.weightless = 0  # labelled rows of weight 0: they stand for no row
        self.findings = Findings([*raw.notes])
        self.problems = Problems(raw.name)
        self.later = Problems("")  # of weights and groups: said after the others
        self.roles = roles or roles_of(raw, reading, label, self.problems)
        extra, text = set(self.roles.extra), set(self.roles.text)
        made = {name for name, recipe in self.given.items() if recipe.how is not None}
        self.features = [
            Kept(n, as_text=n in text, forced=n in made) for n in raw.names if n not in extra
        ]
        self.labels, self.groups = Texts(str(self.roles.label)), Texts("")
        self.made: list[Made] = []
        self.recipes: tuple[Recipe, ...] = ()
        self.found_labels: LabelColumn | None = None  # of the distinct texts

    @property
    def has_failed(self) -> bool:
        """Whether something is wrong already, so that further chunks need not be read."""
        found = self.problems.found or self.later.found
        return bool(found or any(f.refused for f in self.features))

    def add(self, raw: RawTable, before: int = 0) -> Part:
        """Return what is kept of some rows; `before` is added to their lines."""
        where = THIS_BLOCK if self.in_chunks else "the column"
        decimal = self.reading.decimal
        reader = CellReader(raw.place, decimal, self.findings, self.ways_out, where)
        self.n += raw.lines.size
        features: list[Values] = []
        by_name = {column.name: column for column in raw.columns}
        for feature in self.features:
            column = by_name[feature.name]
            kept: Values = np.full(raw.lines.size, np.nan)
            with self.problems.noted():
                kept = feature.add(column, replace(reader, findings=feature.findings))
            if feature.is_numbers and not (self.in_chunks or feature.refused):
                (doubted,) = Made(Recipe(column.name), None).columns(kept)
                feature.findings.warnings.extend(suspicions(column, doubted))
            features.append(kept)
        codes = np.zeros(raw.lines.size, dtype=np.int64)
        if self.roles.label is not None:
            with self.problems.noted():
                cells = reader.text(raw.column(self.roles.label))
                codes = self.labels.codes(cells, raw.place)
        labelled = np.ones(1, dtype=np.bool_)  # which distinct labels so far are no missing ones
        if self.labels.code:
            labelled = label_column("", self.labels.cells(), fold=True).codes >= 0
        there = np.flatnonzero(labelled[codes])
        weight = group = None
        with self.later.noted():
            if self.roles.weight is not None:
                weight = weights_of(raw, self.roles.weight, reader, there)
                self.weightless += int((weight[there] == 0.0).sum())
        with self.later.noted():
            if self.roles.group is not None:
                group = self._groups(raw, self.roles.group, reader, there)
        return Part(features, codes, raw.lines + before, weight, group)

    def _groups(
        self, raw: RawTable, name: str, reader: CellReader, labelled: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the codes (N,); `InputError` names the line of a labelled row without a group."""
        codes = self.groups.codes(trimmed(reader.text(raw.column(name))), raw.place)
        absent = labelled[codes[labelled] == self.groups.code.get("", -1)]
        if absent.size:
            raise InputError(
                f"{raw.place.at(int(absent[0]), name)}: the group is missing. Rows of one group "
                "stay together in cross-validation: say which group the row is in, or drop the row."
            )
        return codes

    def find(
        self, parts: Callable[[], Iterator[Part]],
        question: Callable[[LabelColumn], Question] | None = None,
    ) -> None:  # fmt: skip
        """Find out what the columns become; `InputError` with all that is wrong, labels too."""
        problems = self.problems
        if self.in_chunks and self.has_failed:  # in the first chunks: the others were not read
            refused = [f.refused for f in self.features if f.refused is not None]
            problems.found.extend([InputError(all_refused(self.name, refused))] if refused else [])
        else:
            with problems.noted():
                self.found_labels = self._labels() if self.labels.code else None
                self._note_weightless()
            with problems.noted():
                self._columns_made(parts)
        problems.found.extend(self.later.found)
        if problems.found and self.found_labels is not None and question is not None:
            with problems.noted():  # what no row that is kept could mend
                for part in parts():
                    question(self.labels_of(part, self.labelled(part)))
        problems.refuse()

    @property
    def n_labelled(self) -> int:
        """How many rows have a label and a weight."""
        labels = self.found_labels
        n = self.n if labels is None else int(self.labels.counts[labels.codes >= 0].sum())
        return n - self.weightless

    def _note_weightless(self) -> None:
        if self.weightless and not self.n_labelled:
            raise InputError(
                f"{self.name}: the weight in column {shown(str(self.roles.weight))} is zero in "
                "every row, so nothing would be learned from."
            )
        if self.weightless:
            said = "Rows with weight 0 take no part: {n:,}."
            self.findings.notes.append(Said(said, n=self.weightless))

    def _labels(self) -> LabelColumn:
        """Return the distinct labels; `InputError` where rows lack one and that was not allowed."""
        column = label_column(self.labels.name, self.labels.cells(), fold=self.reading.fold_labels)
        missing = column.codes < 0
        without = int(self.labels.counts[missing].sum())
        if without and self.reading.unlabelled == "refuse":
            where = self.labels.place(self.word).at(int(np.argmax(missing)), column.name)
            raise unlabelled_refusal(where, without, self.n)
        if without == self.n:
            raise InputError(f"{self.name}: the label is missing in every row.")
        if without:
            self.findings.notes.append(
                f"{counted(without, 'row')} of {self.n:,} left out: the label is missing."
            )
        return column

    def _columns_made(self, parts: Callable[[], Iterator[Part]]) -> None:
        often, lacking = self._occurring(parts)
        refused: list[ColumnError] = []
        every: list[str] = []
        for j, feature in enumerate(self.features):
            try:
                if feature.refused is not None:
                    raise feature.refused
                made = (
                    self._of_numbers(feature, int(lacking[j]))
                    if feature.is_numbers
                    else self._of_texts(feature, often[j])
                )
            except ColumnError as refusal:
                refused.append(refusal)
                continue
            self.made.append(made)
            every.extend(made.recipe.names)
            self.findings.notes.extend(feature.findings.notes)
            self.findings.warnings.extend(feature.findings.warnings)
        if refused:
            raise InputError(all_refused(self.name, refused))
        refuse_same_names(every, self.name)
        recipes = (made.recipe for made in self.made)
        self.recipes = tuple(recipe for recipe in recipes if recipe.how or recipe.indicator)

    def _occurring(
        self, parts: Callable[[], Iterator[Part]]
    ) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
        """Return how often each text has a label, where that matters, and numbers that lack."""
        often = [feature.texts.counts for feature in self.features]
        lacking = np.zeros(len(self.features), dtype=np.int64)
        if not (self.reading.missing_level or self.reading.group_rare):
            return often, lacking
        often = [np.zeros_like(counts) for counts in often]
        for part in parts():
            rows = self.labelled(part)
            for j, feature in enumerate(self.features):
                values = _picked(part.features[j], rows)
                if not isinstance(values, np.ndarray):
                    continue
                if feature.is_numbers:
                    lacking[j] += np.isnan(values).sum()
                elif not feature.refused:
                    codes = values.astype(np.int64, copy=False)
                    often[j] += np.bincount(codes, minlength=often[j].size)
        return often, lacking

    def _of_numbers(self, feature: Kept, lacking: int) -> Made:
        indicator = self.reading.missing_level and 0 < lacking < self.n_labelled
        recipe = Recipe(feature.name, indicator=indicator)
        return Made(self.given.get(feature.name, recipe), None)

    def _of_texts(self, feature: Kept, often: NDArray[np.int64]) -> Made:
        raw, texts, asked = feature.small(), feature.texts, self.reading
        reader = CellReader(
            texts.place(self.word), self.reading.decimal, feature.findings, self.ways_out,
            counts=texts.counts,
        )  # fmt: skip
        recipe = self.given.get(feature.name)
        if recipe is None:
            recipe, small = find_recipe(raw, often, feature.as_text, asked, reader)
        else:
            small = recipe.columns(raw, reader)
        if small[0].missing.all():
            why = "has no value in any row."
            message = f"column {shown(raw.name)} {why} Leave it out with --drop {shown(raw.name)}."
            raise ColumnError(raw.name, "", why, message)
        if isinstance(small[0], CategoryColumn):
            rows_of = np.broadcast_to(np.int32(0), (self.n,))
            feature.findings.warnings.extend(suspicions(raw, replace(small[0], codes=rows_of)))
        return Made(recipe, small)

    def labelled(self, part: Part) -> NDArray[np.int64]:
        """Return the rows that have a label and a weight."""
        there = np.ones(part.lines.size, dtype=np.bool_)
        if self.found_labels is not None:
            there = self.found_labels.codes[part.labels] >= 0
        return np.flatnonzero(there if part.weight is None else there & (part.weight != 0.0))

    def labels_of(self, part: Part, rows: NDArray[np.int64]) -> LabelColumn:
        labels = self.found_labels
        assert labels is not None  # noqa: S101  # it was found
        return replace(labels, codes=labels.codes[part.labels[rows]])

    @property
    def label_texts(self) -> dict[str, tuple[str, ...]]:
        """The texts of each label as they are written; of "" those for a missing one."""
        labels, texts = self.found_labels, np.array(list(self.labels.code), dtype=object)
        if labels is None or not texts.size:
            return {}
        names = enumerate(("", *labels.names), -1)
        return {name: tuple(sorted(texts[labels.codes == k])) for k, name in names}

    def columns(self, part: Part, rows: NDArray[np.int64]) -> list[Column]:
        """Return the columns of some rows; categories have all levels."""
        return [
            column
            for made, kept in zip(self.made, part.features, strict=True)
            for column in made.columns(_picked(kept, rows))
        ]

    def rows_of(self, part: Part) -> tuple[NDArray[np.int64], list[Column], NDArray[np.bool_]]:
        """Return the `labelled` rows, their columns, and which of them lack a value."""
        rows = self.labelled(part)
        columns, lacks = self.columns(part, rows), np.zeros(rows.size, dtype=np.bool_)
        for column in columns:
            lacks |= column.missing
        return rows, columns, lacks

    def note_missing(self, lacking: Mapping[str, int], incomplete: int) -> None:
        """Note how many labelled rows lack a value of which column, and what becomes of them."""
        if not incomplete:
            return
        where = joined([f"{shown(name)} ({k:,})" for name, k in lacking.items() if k])
        if self.reading.missing != "drop":
            filled = Said("Missing values, to be filled: column {columns}.", columns=where)
            self.findings.notes.append(filled)
            return
        if incomplete == self.n_labelled:
            raise InputError(
                f"{self.name}: every row lacks a value and would be dropped. Missing per column: "
                f"{where}. Fill them with --missing fill, or leave columns out with --drop."
            )
        self.findings.notes.append(
            Said(
                "{rows} of {all:,} dropped because a value is missing: column {columns}. To keep "
                "such rows, use --missing fill.",
                rows=counted(incomplete, "row"), all=self.n_labelled, columns=where,
            )
        )  # fmt: skip

    def said(
        self, asked: Question, often: NDArray[np.int64], columns: Sequence[AnyColumn],
        weight: float | None, groups: int | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Warn of what was found; return how the rows were read, as fields of a table.

        often : how many rows of each label are kept; weight : the sum of the weights
        """
        warned, labels = self.findings.warnings, self.found_labels
        warned.extend([] if labels is None else misspelt(labels, often))
        for warning in warned:
            warnings.warn(warning, SeparatrixWarning, stacklevel=5)
        return {
            "label": str(self.roles.label), "no": asked.no, "yes": asked.yes, "rest": asked.rest,
            "n_rows_in_file": self.n, "line_word": self.word,
            "missing": self.reading.missing, "dialect": self.dialect, "extra": self.roles.extra,
            "recipes": self.recipes, "notes": self.notes(columns, weight, groups),
            "warnings": tuple(warned), "label_texts": self.label_texts,
        }  # fmt: skip

    def notes(
        self, columns: Sequence[AnyColumn], weight: float | None = None, groups: int | None = None
    ) -> tuple[str, ...]:
        """Return the sentences for the user."""
        roles, more = self.roles, [*self.findings.notes, *self.findings.warnings]
        categories = [c for c in columns if isinstance(c, CategoryColumn | CategoryEncoding)]
        if weight is not None:
            said = "Weights: column {name}, {weight:,.6g} in all."
            more.append(Said(said, name=shown(str(roles.weight)), weight=weight))
        if groups is not None:
            said = "Groups that stay together: column {name}, {n:,} of them."
            more.append(Said(said, name=shown(str(roles.group)), n=groups))
        if categories:
            more.append(describe_categories(categories))
        if roles.drop:
            more.append(Said("Left out: {columns}.", columns=listed(roles.drop)))
        return tuple(more)


def _picked(values: Values, rows: NDArray[np.int64]) -> Values:
    """Return the values of some rows; as they are where these are all."""
    if rows.size == values.size:
        return values
    return values[rows] if isinstance(values, np.ndarray) else values.take(rows)


def weights_of(raw: RawTable, name: str, reader: CellReader, labelled: NDArray[np.int64]) -> Floats:
    """Return the weights (N,); `InputError` names the line of a labelled row's that is none."""
    way_out = f"Every weight in column {shown(name)} must be a number from 0 up."
    values = replace(reader, ways_out=lambda *_: way_out).numbers(raw.column(name)).values
    bad = labelled[~(values[labelled] >= 0)]
    if bad.size:
        what = "is missing" if np.isnan(values[bad[0]]) else f"is negative ({values[bad[0]]})"
        raise InputError(
            f"{raw.place.at(int(bad[0]), name)}: the weight {what}. A weight of k stands for k "
            "copies of the row: give a number from 0 up."
        )
    large = labelled[values[labelled] > LARGEST_WEIGHT]
    if large.size:
        raise InputError(
            f"{raw.place.at(int(large[0]), name)}: the weight is too large "
            f"({values[large[0]]:g}): sums of such weights overflow. Divide all weights by the "
            "same number."
        )
    return values


def all_refused(file: str, refused: Sequence[ColumnError]) -> str:
    """Return the one refusal, or a message for all, columns with the same trouble together."""
    if len(refused) == 1:
        return typed(refused[0])
    troubles: dict[str, list[ColumnError]] = {}
    for refusal in refused:
        troubles.setdefault(refusal.why, []).append(refusal)
    sentences = []
    for why, columns in troubles.items():
        seen = [f"{shown(c.name)} ({c.seen})" if c.seen else shown(c.name) for c in columns]
        sentences.append(f"{joined(seen)}{': each' if len(seen) > 1 else ''} {why}")
    return (
        f"{file}: {len(refused)} columns cannot be read. {' '.join(sentences)} "
        f"{parsed(refusal.kind for refusal in refused)}Correct the columns "
        "(NA stands for a missing value), declare a column to be categories with --text COLUMN, or "
        "leave it out with --drop COLUMN (once for each)."
    )
