"""Files become scratch files of numbers: read once, then encoded by what all rows say.

First pass, over the files: each cell becomes a number or the code of its text, kept in a scratch
file. Further passes go over that file: which rows have a label and lack no value, how often each
level occurs, medians to fill with; then the features of each row. The encoding and the numbers are
those of the same file read at once (`tables.read_table`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import LARGEST_WEIGHT, Floats, InputError, SeparatrixWarning, dense
from separatrix.scale.about import About, named
from separatrix.scale.files.chunks import InChunks
from separatrix.scale.files.distinct import Kept, Texts
from separatrix.scale.files.encoded import EncodedSource
from separatrix.scale.files.medians import medians
from separatrix.scale.scratch import Scratch
from separatrix.scale.source import places_in
from separatrix.tables.cells import (
    THIS_BLOCK,
    CellReader,
    ColumnError,
    Findings,
    describe_categories,
)
from separatrix.tables.columns import (
    CategoryColumn,
    CategoryEncoding,
    Column,
    Encoding,
    NumberColumn,
    NumberEncoding,
)
from separatrix.tables.labels import (
    ask_counts,
    folded_label_column,
    label_column,
    unlabelled_refusal,
)
from separatrix.tables.options import Dialect, Reading
from separatrix.tables.problems import Problems
from separatrix.tables.raw import RawTable
from separatrix.tables.reading import (
    Roles,
    all_refused,
    note_missing,
    refuse_empty,
    roles_of,
    weights_of,
)
from separatrix.tables.recipes import Recipe, find_recipe, refuse_same_names
from separatrix.tables.scan import csv_head
from separatrix.tables.suspicions import suspicions
from separatrix.tables.wording import counted, listed, shown

ROWS = 1 << 14  # of the scratch file at a time
WORD = 8  # bytes of a number
DIFFERENT = "the list of its different values"  # of a column: `CellReader.counted_in`

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Made:
    """What one column of the files becomes: of a number, or of each distinct text."""

    names: tuple[str, ...]  # of the columns
    small: tuple[Column, ...] | None  # those of the distinct texts; None for numbers
    indicator: bool  # whether a last column says where a number is missing

    def columns(self, kept: Floats) -> tuple[Column, ...]:
        """Return the columns of some rows, by what was kept of them (N,)."""
        if self.small is None:
            values = NumberColumn(self.names[0], kept)
            if not self.indicator:
                return (values,)
            return (values, NumberColumn(self.names[1], np.isnan(kept).astype(np.float64)))
        codes = kept.astype(np.int64)
        return tuple(
            CategoryColumn(column.name, column.codes[codes], column.levels)
            if isinstance(column, CategoryColumn)
            else NumberColumn(column.name, column.values[codes])
            for column in self.small
        )


class Converter:
    """The passes over files that become scratch files."""

    def __init__(  # noqa: PLR0917  # one caller
        self,
        files: Sequence[InChunks],
        label: str | None,
        yes: str | None,
        reading: Reading,
        scratch: Scratch,
        tell: Tell,
    ) -> None:
        self.files, self.label, self.yes, self.reading = files, label, yes, reading
        self.scratch, self.tell = scratch, tell
        self.findings = Findings()
        self.n = 0
        self.edges = [0]  # lines of the files before the first, the second, ...
        self.roles = Roles(None, None, None, (), ())
        self.features: list[Kept] = []
        self.labels = Texts("")
        self.names: tuple[str, ...] = ()
        self.word = "row"
        self.format = files[0].format
        self.dialect: Dialect | None = None
        self.kept = scratch.file("kept.f8")
        self.most_weight: tuple[float, str] = (0.0, "")

    def source(self) -> EncodedSource:
        """Return the rows of the files as features."""
        self._first_pass()
        return self._encoded()

    # ------------------------------------------------------------------ over the files

    def _first_pass(self) -> None:
        self._refuse_small_disk()
        try:
            with Path(self.kept).open("wb") as out:
                for k, file in enumerate(self.files):
                    last = 0
                    for raw in file:
                        if not self.names:
                            self._begin(raw)
                        elif raw.names != self.names:
                            raise InputError(
                                f"{raw.name} has other columns than {self.files[0].name}: "
                                f"{listed(raw.names)}, not {listed(self.names)}. Files of one "
                                "table have the same columns, in the same order."
                            )
                        np.ascontiguousarray(self._rows_of(raw)).tofile(out)
                        self.n += raw.lines.size
                        last = int(raw.lines.max(initial=last))
                        which = f"{file.name}, {k + 1} of {len(self.files)}"
                        self.tell(f"reading {which if len(self.files) > 1 else file.name}: "
                                  f"{self.n:,} rows")  # fmt: skip
                    self.edges.append(self.edges[-1] + last)
        except OSError as error:
            raise self.scratch.full(error) from None

    def _refuse_small_disk(self) -> None:
        """Raise `InputError` where the numbers of all cells have no place, by a look at a part."""
        needed = 0.0
        for file in self.files:
            if file.format == "csv":
                names = csv_head(file.head, self.reading)[0].names
                with Path(file.path).open("rb") as opened:
                    part = opened.read(1 << 20)
                rows = max(1, part.count(b"\n"))
                needed += file.stamp.size / max(1, len(part)) * rows * (len(names) + 2) * WORD
            else:
                needed += 2 * file.stamp.size
        self.scratch.require(int(2 * needed), f"Converting {named([f.path for f in self.files])}")

    def _begin(self, raw: RawTable) -> None:
        """Find out which column is what."""
        problems = Problems(raw.name)
        self.roles = roles_of(raw, self.reading, self.label, problems)
        if self.reading.group is not None:
            with problems.noted():
                raise InputError(
                    "--group is not used for tables that are read in blocks: their folds are of "
                    "single rows. Leave it out, or leave --memory out."
                )
        problems.refuse()
        extra, text = set(self.roles.extra), set(self.roles.text)
        self.names = raw.names
        self.features = [Kept(n, as_text=n in text) for n in raw.names if n not in extra]
        self.labels.name = str(self.roles.label)
        self.word, self.dialect = raw.line_word, raw.dialect
        self.findings.notes.extend(raw.notes)

    def _rows_of(self, raw: RawTable) -> Floats:
        """Return what is kept of some rows: features, label, weight if any, line."""
        reader = CellReader(raw.place, self.reading.decimal, self.findings, counted_in=THIS_BLOCK)
        kept = np.empty((raw.lines.size, self._width))
        refused = []
        for j, feature in enumerate(self.features):
            try:
                kept[:, j] = feature.add(raw.column(feature.name), reader)
            except ColumnError as refusal:
                refused.append(refusal)
        if refused:
            raise InputError(all_refused(raw.name, refused))
        codes = self.labels.codes(reader.text(raw.column(self.labels.name)), raw.place)
        kept[:, len(self.features)] = codes
        if self.roles.weight is not None:
            missing = self._missing_labels()
            there = np.flatnonzero(~missing[codes])
            weight = weights_of(raw, self.roles.weight, reader, there)
            kept[:, -2] = weight
            if there.size and weight[there].max() > self.most_weight[0]:
                row = int(there[weight[there].argmax()])
                self.most_weight = weight[row], raw.place.at(row, self.roles.weight)
        kept[:, -1] = raw.lines + self.edges[-1]
        return kept

    @property
    def _width(self) -> int:
        return len(self.features) + 2 + (self.roles.weight is not None)

    def _label_column(self) -> Untyped:
        make = folded_label_column if self.reading.fold_labels else label_column
        return make(self.labels.name, self.labels.cells())

    def _missing_labels(self) -> NDArray[np.bool_]:
        """Return which distinct labels stand for a missing one."""
        return np.asarray(folded_label_column("", self.labels.cells()).codes < 0)

    # ------------------------------------------------------------------ over what was kept

    def _parts(self) -> Iterator[Floats]:
        """Yield what was kept, some rows at a time."""
        with Path(self.kept).open("rb") as file:
            width, left = self._width, self.n
            while left:
                rows = min(ROWS, left)
                data = np.fromfile(file, np.float64, rows * width).reshape(rows, width)
                if data.shape[0] != rows:
                    raise InputError(f"{self.kept!r} was changed. Run it again.")
                for j, feature in enumerate(self.features):
                    if feature.numbers_from is not None:  # rows before it had nothing but blanks
                        before = max(0, feature.numbers_from - (self.n - left))
                        data[:before, j] = np.nan
                left -= rows
                yield data

    def _encoded(self) -> EncodedSource:
        label, k = self._label_column(), len(self.features)
        name = named([file.path for file in self.files])
        has_label = label.codes >= 0
        self.tell("counting levels and missing values")
        counts = [np.zeros(len(feature.texts.code), dtype=np.int64) for feature in self.features]
        lacking = np.zeros(k, dtype=np.int64)
        n_labelled = 0
        for part in self._parts():
            there = part[has_label[part[:, k].astype(np.int64)]]
            n_labelled += len(there)
            for j, feature in enumerate(self.features):
                if feature.is_numbers:
                    lacking[j] += np.isnan(there[:, j]).sum()
                else:
                    counts[j] += np.bincount(there[:, j].astype(np.int64), minlength=counts[j].size)
        self._refuse_unlabelled(label, n_labelled)
        made, recipes = self._columns_made(counts, lacking, n_labelled)
        encoding, of_label, dropped, filled = self._encoding(made, label, name, n_labelled)
        no, position = ask_counts(label, of_label, self.reading.as_label(self.yes))
        signs = np.where(label.codes == position, 1, -1).astype(np.int8)
        n = int(of_label.sum())
        weight = self._write(made, encoding, has_label, signs, n)
        about = About(
            name=name,
            format=self.format,
            paths=tuple(file.path for file in self.files),
            encoding=encoding,
            label=self.labels.name,
            no=no,
            yes=label.names[position],
            n_yes=int(of_label[position]),
            n_rows_in_file=self.n,
            n_dropped=dropped,
            n_filled=filled,
            notes=self._notes(encoding, weight),
            missing=self.reading.missing,
            line_word=self.word,
            dialect=self.dialect,
            extra=self.roles.extra,
            recipes=recipes,
            weight_column=self.roles.weight,
            label_texts=self._label_texts(label, position),
        )
        for warning in self.findings.warnings:
            warnings.warn(warning, SeparatrixWarning, stacklevel=4)
        stamps = tuple(file.stamp for file in self.files)
        return EncodedSource(self.scratch, about, stamps, tuple(self.edges))

    def _label_texts(self, label: Untyped, yes: int) -> tuple[tuple[str, ...], ...] | None:
        """Return the texts of a CSV file that mean no, yes, and a missing label."""
        if self.format != "csv":
            return None
        texts = np.array(list(self.labels.code), dtype=object)
        is_missing, is_yes = label.codes < 0, label.codes == yes
        which = ~is_missing & ~is_yes, is_yes, is_missing
        return tuple(tuple(sorted(texts[rows])) for rows in which)

    def _refuse_unlabelled(self, label: Untyped, n_labelled: int) -> None:
        without = self.n - n_labelled
        if not n_labelled:
            raise InputError(f"{self.files[0].name}: the label is missing in every row.")
        if not without:
            return
        if self.reading.unlabelled == "refuse":
            first = int(np.argmax(label.codes < 0))
            where = self.labels.place(self.word).at(first, self.labels.name)
            raise unlabelled_refusal(where, without, self.n)
        self.findings.notes.append(
            f"{counted(without, 'row')} of {self.n:,} left out: the label is missing."
        )

    def _columns_made(
        self, counts: Sequence[NDArray[np.int64]], lacking: NDArray[np.int64], n: int
    ) -> tuple[list[_Made], tuple[Recipe, ...]]:
        """Return what each column becomes, and how some of them were read."""
        asked = self.reading.asked
        made, recipes, refused = [], [], []
        every: list[Column] = []
        for j, feature in enumerate(self.features):
            try:
                if feature.is_numbers:
                    absent = asked.missing_level and 0 < lacking[j] < n
                    recipe = Recipe(feature.name, None, indicator=True) if absent else None
                    names = (feature.name,) if recipe is None else recipe.names
                    made.append(_Made(names, None, recipe is not None))
                    every.extend(NumberColumn(name, np.empty(0)) for name in names)
                else:
                    raw = feature.small()
                    place = feature.texts.place(self.word)
                    reader = CellReader(
                        place, self.reading.decimal, self.findings, counted_in=DIFFERENT
                    )
                    # as often as it matters to levels that are rare
                    often = np.minimum(counts[j], max(1, asked.group_rare))
                    rows = np.repeat(np.arange(often.size), often)
                    recipe, small = find_recipe(raw, rows, feature.as_text, asked, reader)
                    refuse_empty(raw, small[0])
                    made.append(_Made(tuple(c.name for c in small), small, False))
                    every.extend(small)
                    if isinstance(small[0], CategoryColumn):
                        self.findings.warnings.extend(_doubts(raw, small[0], int(counts[j].sum())))
                if recipe is not None:
                    recipes.append(recipe)
            except ColumnError as refusal:
                refused.append(refusal)
        if refused:
            raise InputError(all_refused(self.files[0].name, refused))
        refuse_same_names(every, self.files[0].name)
        return made, tuple(recipes)

    def _rows(
        self, made: Sequence[_Made], has_label: NDArray[np.bool_]
    ) -> Iterator[tuple[Floats, list[Column], NDArray[np.bool_]]]:
        """Yield the rows with a label: what was kept, their columns, and which are complete."""
        k = len(self.features)
        for part in self._parts():
            there = part[has_label[part[:, k].astype(np.int64)]]
            columns = [c for j, how in enumerate(made) for c in how.columns(there[:, j])]
            lacks = np.zeros(len(there), dtype=np.bool_)
            for column in columns:
                lacks |= column.missing
            yield there, columns, ~lacks

    def _encoding(
        self, made: Sequence[_Made], label: Untyped, name: str, n_labelled: int
    ) -> tuple[Encoding, NDArray[np.int64], int, int]:
        """Return the encoding, how often each label is kept, and rows dropped and filled."""
        k = len(self.features)
        fill = self.reading.missing != "drop"
        names = [n for how in made for n in how.names]
        lacking = np.zeros(len(names), dtype=np.int64)
        levels: dict[int, NDArray[np.int64]] = {}
        of_label = np.zeros(len(label.names), dtype=np.int64)
        incomplete = 0
        total = 0.0
        for there, columns, complete in self._rows(made, label.codes >= 0):
            incomplete += int((~complete).sum())
            rows = np.arange(len(there)) if fill else np.flatnonzero(complete)
            if self.roles.weight is not None:
                total += float(there[rows, -2].sum())
            of_label += np.bincount(
                label.codes[there[rows, k].astype(np.int64)], minlength=of_label.size
            )
            for j, column in enumerate(columns):
                lacking[j] += column.missing.sum()
                if isinstance(column, CategoryColumn):
                    codes = column.codes[rows]
                    found = np.bincount(codes[codes >= 0], minlength=len(column.levels))
                    levels[j] = levels.get(j, 0) + found
        counts = {n: int(m) for n, m in zip(names, lacking, strict=True) if m}
        note_missing(counts, incomplete, n_labelled, self.reading.missing, name, self.findings)
        if self.roles.weight is not None:
            self._refuse_weights(total)
        fills = medians(self._numbers(made, label), len(names)) if fill else None
        every = {c.name: c for how in made for c in how.small or ()}
        plain: list[NumberEncoding | CategoryEncoding] = []
        for j, column_name in enumerate(names):
            small = every.get(column_name)
            if isinstance(small, CategoryColumn):
                plain.append(
                    CategoryEncoding.of_counts(column_name, small.levels, levels[j], fill=fill)
                )
            else:
                plain.append(
                    NumberEncoding(column_name, None if fills is None else float(fills[j]))
                )
        dropped = 0 if fill else incomplete
        return Encoding(tuple(plain)), of_label, dropped, incomplete if fill else 0

    def _numbers(self, made: Sequence[_Made], label: Untyped) -> Callable[[], Iterator[Floats]]:
        """Return what yields the numbers of rows (n, columns), NaN for categories."""

        def parts() -> Iterator[Floats]:
            for there, columns, _ in self._rows(made, label.codes >= 0):
                values = np.full((len(there), len(columns)), np.nan)
                for j, column in enumerate(columns):
                    if not isinstance(column, CategoryColumn):
                        values[:, j] = column.values
                yield values

        return parts

    def _refuse_weights(self, total: float) -> None:
        weight, where = self.most_weight
        if weight > LARGEST_WEIGHT:
            raise InputError(
                f"{where}: the weight is too large ({weight:g}): sums of such weights overflow. "
                "Divide all weights by the same number."
            )
        if not total:
            raise InputError(
                f"{self.files[0].name}: the weight in column {shown(str(self.roles.weight))} is "
                "zero in every row, so nothing would be learned from."
            )

    def _write(  # one caller
        self,
        made: Sequence[_Made],
        encoding: Encoding,
        has_label: NDArray[np.bool_],
        signs: NDArray[np.int8],
        n: int,
    ) -> float:
        """Write the features, labels, weights and lines of the rows that are used."""
        d, k = len(encoding.feature_names), len(self.features)
        if d == 0:
            raise InputError("no column is left to learn from: each has one value only.")
        self.scratch.require(
            n * (d * WORD + 2 * WORD + 1), f"Encoding {n:,} rows of {d:,} features"
        )
        fill, total, done = self.reading.missing != "drop", 0.0, 0
        shapes = {"X": ("<f8", (n, d)), "y": ("|i1", (n,)), "lines": ("<i8", (n,))}
        if self.roles.weight is not None:
            shapes["weight"] = ("<f8", (n,))
        files = {}
        try:
            for name, (dtype, shape) in shapes.items():
                files[name] = Path(self.scratch.file(f"{name}.npy")).open("wb")  # noqa: SIM115
                head = {"descr": dtype, "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(files[name], head)
            for labelled, columns, complete in self._rows(made, has_label):
                rows = np.arange(len(labelled)) if fill else np.flatnonzero(complete)
                there = labelled[rows]
                if not rows.size:
                    continue
                place = there[:, -1].astype(np.int64)
                taken = [column.take(rows) for column in columns]
                _, lines = places_in(self.edges, place - 1)
                X = dense(encoding.encode(taken, lines, self.word), "a block of a table")
                np.ascontiguousarray(X).tofile(files["X"])
                signs[there[:, k].astype(np.int64)].tofile(files["y"])
                place.tofile(files["lines"])
                if self.roles.weight is not None:
                    weight = np.ascontiguousarray(there[:, -2])
                    weight.tofile(files["weight"])
                    total += float(weight.sum())
                done += rows.size
                self.tell(f"encoding: {done:,} of {n:,} rows")
            for file in files.values():
                file.flush()
        except OSError as error:
            raise self.scratch.full(error) from None
        finally:
            for file in files.values():
                file.close()
        Path(self.kept).unlink()
        return total

    def _notes(self, encoding: Encoding, weight: float) -> tuple[str, ...]:
        """Return the sentences for the user, as `Reading` has them."""
        levels = {c.name: c.levels for c in encoding.columns if isinstance(c, CategoryEncoding)}
        none = np.empty(0, dtype=np.int32)
        found = [CategoryColumn(name, none, of) for name, of in levels.items()]
        notes = [*self.findings.notes, *self.findings.warnings]
        if self.roles.weight is not None:
            notes.append(f"Weights: column {shown(self.roles.weight)}, {weight:,.6g} in all.")
        if found:
            notes.append(describe_categories(found))
        if self.roles.drop:
            notes.append(f"Left out: {listed(self.roles.drop)}.")
        return tuple(notes)


def _doubts(raw: Untyped, column: CategoryColumn, n: int) -> list[str]:
    """Return the reasons to doubt a category column of n rows."""
    rows = np.arange(min(n, 2 * len(column.levels) + 1)) % max(1, len(column.levels))
    return suspicions(raw, replace(column, codes=rows.astype(np.int32)))
