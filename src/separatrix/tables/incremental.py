"""CSV that comes through a pipe: rows as they come, in memory that does not grow.

Cells, numbers and labels are read as those of a file are, and what cannot be read is refused in the
same words. What takes all rows to know is not there: levels of categories, and how to fill in for
missing values.
"""

from __future__ import annotations

import hashlib
import io
import select
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from separatrix.data import Floats, InputError, SeparatrixWarning, refuse_look_alikes
from separatrix.tables.cells import (
    BLANKS,
    THIS_BLOCK,
    CellReader,
    Cells,
    Findings,
    RawColumn,
    distinct_texts,
    missing_among,
)
from separatrix.tables.files.formats import RawTable
from separatrix.tables.files.source import OTHER_FILES, Source
from separatrix.tables.labels import (
    LabelColumn,
    label_column,
    refuse_unlabelled,
)
from separatrix.tables.problems import Problems
from separatrix.tables.reading import Reading, roles_of
from separatrix.tables.scan import (
    LARGE,
    SAMPLE_CHARACTERS,
    SAMPLE_LINES,
    Head,
    cells_unquoted,
    columns_of,
    csv_head,
    decoded,
    records_of,
    refuse_dialect,
)
from separatrix.tables.wording import Place, listed, shown

BLOCK = 1 << 22  # bytes that are worked on together
PATIENCE = 0.5  # seconds that bytes wait for more of them, at most
LONGEST = 1 << 26  # bytes of one record
LARGEST_SAMPLE = 4 * SAMPLE_CHARACTERS  # bytes
ONE_LABEL = 1 << 16  # rows that are held while all of them have one label
OTHER_LINE_ENDS = ("utf-16", "utf-32", "utf_16", "utf_32", "utf-7", "utf_7")


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows of a stream.

    Parameters
    ----------
    X : (n, d)
    y : (n,) of -1 and +1
    lines : (n,) on which they start, from 1
    """

    X: Floats
    y: Floats
    lines: NDArray[np.int64]


class TwoLabels:
    """Which label is yes and which is no, as far as it is known.

    Parameters
    ----------
    column : its name
    yes, no : as the user gave them; None for those that come. Without either, the second one of
        two, sorted, is yes
    """

    def __init__(self, column: str, yes: str | None = None, no: str | None = None) -> None:
        self.column = column
        self.yes, self.no = (
            None if label is None else self._shown(label, option)
            for label, option in ((yes, "--yes"), (no, "--no"))
        )
        if yes is not None and self.yes == self.no:
            raise InputError(f"--yes and --no are the same label, {shown(yes)}.")
        self._seen = [label for label in (self.no, self.yes) if label is not None]
        # whether "-" is a label, as it is beside "+" alone; None before any other label
        self._minus = "+" in self._seen if self._seen else None

    def _shown(self, label: str, option: str) -> str:
        """Return a label as those of the file are shown: numbers in their shortest form."""
        names = label_column(self.column, pa.chunked_array([[label]])).names
        if not names:
            raise InputError(f"{option} {shown(label)} stands for a missing label.")
        return names[0]

    def read(self, cells: Cells) -> LabelColumn:
        """Return the labels of more rows, each by a name that no other row has a part in.

        "-" is a missing label unless the first other one in the stream is "+".
        """
        distinct, positions = distinct_texts(cells)
        bare = [text.strip(BLANKS) for text in distinct]
        missing = missing_among(bare) | {"-"}
        if self._minus is None:
            other = next((text for text in bare if text not in missing), None)
            self._minus = None if other is None else other == "+"
        if self._minus is not False:
            missing.remove("-")
        names = [
            text if b == "-" else label_column(self.column, pa.chunked_array([[text]])).names[0]
            for text, b in zip(distinct, bare, strict=True)
            if b not in missing
        ]
        ordered = sorted(set(names))
        code = iter(ordered.index(name) for name in names)
        codes = np.array([-1 if b in missing else next(code) for b in bare], dtype=np.int64)
        return LabelColumn(self.column, codes[positions], tuple(ordered), numeric=False)

    def without_minus(self) -> bool:
        """Return whether "-" was taken for a label, and is none; then it has not been seen."""
        gone = self._minus is False and [label.strip(BLANKS) for label in self._seen] == ["-"]
        if gone:
            self._seen.clear()
        return gone

    def take(self, labels: LabelColumn, place: Place) -> None:
        """Note the labels of more rows, none of which is missing.

        Raises
        ------
        InputError
            Naming the line of a third label, and for labels that differ in case or blanks only.
        """
        codes, rows = np.unique(labels.codes, return_index=True)
        for row, code in sorted(zip(rows.tolist(), codes.tolist(), strict=True)):
            name = labels.names[code]
            if name in self._seen:
                continue
            refuse_look_alikes([*self._seen, name])
            if len(self._seen) == 2:
                raise InputError(
                    f"{place.at(row, self.column)}: {shown(name)} is a third label, beside "
                    f"{listed(self._seen)}. A stream asks one yes / no question: make a column of "
                    "two labels first, or give a file without --stream."
                )
            self._seen.append(name)
        if len(self._seen) == 2 and None in (self.yes, self.no):
            pair = label_column(self.column, pa.chunked_array([self._seen])).names
            self.yes = self.yes or next(n for n in reversed(pair) if n != self.no)
            self.no = next(n for n in pair if n != self.yes)

    @property
    def is_open(self) -> bool:
        """Whether nothing says as yet what yes or no is."""
        return self.yes is None and self.no is None

    @property
    def only(self) -> str | None:
        """The label of all rows so far where nothing says whether it is yes or no."""
        return self._seen[0] if self.is_open and self._seen else None

    @property
    def both(self) -> tuple[str, str]:
        """No and yes; `InputError` where there was one label only."""
        if self.yes is None or self.no is None:
            raise InputError(
                f"the label column {shown(self.column)} holds one label only, "
                f"{listed(self._seen)}: there is nothing to separate it from."
            )
        return self.no, self.yes

    def signs(self, labels: LabelColumn) -> Floats:
        """Return -1 and +1 (n,), where one of the two labels is known at least."""
        yes = [n == self.yes if self.yes is not None else n != self.no for n in labels.names]
        return np.where(np.array(yes, dtype=bool)[labels.codes], 1.0, -1.0)


@dataclass
class IncrementalCsv:
    """The rows of CSV text that comes through a pipe.

    Where the text is cut into pieces depends on when its bytes come. The rows do not: they are the
    same for every way in which the bytes come.

    Parameters
    ----------
    file : binary
    name : shown to people
    label : the column with the answers; None is refused with a list of the columns
    yes, no : the labels; None for those seen, of which the second one, sorted, is yes
    options : how it is read; `drop`, `missing` "drop", `unlabelled` and what says how the text is
        written
    """

    file: BinaryIO
    name: str
    label: str | None
    yes: str | None = None
    no: str | None = None
    options: Reading = field(default_factory=Reading)
    n_rows: int = field(default=0, init=False)  # read, those dropped included
    n_dropped: int = field(default=0, init=False)  # for want of a value or a label
    labels: TwoLabels = field(init=False)
    head: Head = field(init=False)
    features: tuple[str, ...] = field(default=(), init=False)
    extra: tuple[str, ...] = field(default=(), init=False)  # columns that are no features
    waits: bool = field(default=False, init=False)  # for bytes: KeyboardInterrupt may be raised
    paused: bool = field(default=False, init=False)  # no more bytes had come for now
    stopped: bool = field(default=False, init=False)  # set from outside: no more are to be read

    def __post_init__(self) -> None:
        """Refuse options that no stream could be read with."""
        refuse_dialect(self.options.wish)
        codec = (self.options.encoding or "utf-8").lower()
        if codec.startswith(OTHER_LINE_ENDS):
            raise InputError(
                f"a stream cannot be read as {shown(codec)}, in which line ends are not single "
                "bytes. Turn it into UTF-8 first (iconv -t utf-8)."
            )
        self._findings = Findings()
        self._hash, self._ended = hashlib.sha256(), False
        self._before = 0  # lines read

    @property
    def sha256(self) -> str:
        """The digest of all bytes so far, in hexadecimal."""
        return self._hash.hexdigest()

    def __iter__(self) -> Iterator[Batch]:
        """Yield the rows, some thousands at a time; once `stopped`, those of whole lines so far.

        Raises
        ------
        InputError
            Naming the line, the column and the value that cannot be read, and the way out.
        """
        held: list[tuple[Floats, LabelColumn, NDArray[np.int64]]] = []
        alone = 0  # rows before the second label
        for columns, lines in self._columns():
            X, labels, place = self._typed(columns, lines)
            self._warn()
            if held and self.labels.without_minus():
                self._refuse_or_drop(held)
                held, alone = [], 0
            if len(X):
                if self.labels.is_open:
                    alone += _of_one_label(labels, self.labels.only)
                self.labels.take(labels, place)
                held.append((X, labels, place.lines))
            if alone > ONE_LABEL:
                raise InputError(
                    f"{self.name}: the first {ONE_LABEL:,} rows have one label, "
                    f"{shown(held[0][1].names[held[0][1].codes[0]])}. Say what the two labels are "
                    "with --yes and --no."
                )
            if self.labels.only is None:
                for rows, names, starts in held:
                    yield Batch(rows, self.labels.signs(names), starts)
                held = []
        if not self.stopped:
            _ = self.labels.both  # refuses one label

    # ------------------------------------------------------------------ rows

    def _refuse_or_drop(
        self, held: Sequence[tuple[Floats, LabelColumn, NDArray[np.int64]]]
    ) -> None:
        """Take rows for unlabelled whose label was thought to be "-"."""
        lines = np.concatenate([starts for _, _, starts in held])
        if self.options.unlabelled != "drop":
            nothing = LabelColumn(self.labels.column, np.full(lines.size, -1), (), numeric=False)
            refuse_unlabelled(nothing, Place(self.name, "line", lines))
        self.n_dropped += lines.size

    def _typed(
        self, columns: Sequence[Cells], lines: NDArray[np.int64]
    ) -> tuple[Floats, LabelColumn, Place]:
        """Return the rows that are used: numbers (n, d), labels, and where they stand."""
        place = Place(self.name, "line", lines)
        by_name = dict(zip(self.head.names, columns, strict=True))
        reader = CellReader(
            place, self.options.wish.decimal, self._findings, _ways_out, counted_in=THIS_BLOCK
        )
        label = self.labels.read(by_name[self.labels.column])
        numbers = [reader.numbers(RawColumn(name, by_name[name])).values for name in self.features]
        X = np.column_stack(numbers)
        used = ~np.isnan(X).any(axis=1)
        if self.options.unlabelled == "drop":
            used &= label.codes >= 0
        else:
            refuse_unlabelled(label, place)
        self.n_rows += lines.size
        if used.all():
            return X, label, place
        self.n_dropped += int((~used).sum())
        kept = np.flatnonzero(used)
        return X[kept], label.take(kept), Place(self.name, "line", lines[kept])

    def _warn(self) -> None:
        """Pass warnings on, each once."""
        for warning in self._findings.warnings:
            warnings.warn(warning, SeparatrixWarning, stacklevel=4)
        self._findings.warnings.clear()

    # ------------------------------------------------------------------ cells

    def _columns(self) -> Iterator[tuple[tuple[Cells, ...], NDArray[np.int64]]]:
        """Yield the cells of some records, a column each, and the lines they start on."""
        codec = ""
        for data in self._blocks():
            self._hash.update(data)
            before, first = self._before, not codec
            if not codec:
                text, codec = decoded(Source(self.name, data), self.options.encoding)
                self._read_head(text, codec)
            else:
                text = self._decoded(data, codec.removesuffix("-sig"), before)
            dialect, width = self.head.dialect, len(self.head.names)
            found = None
            if len(text) >= LARGE and width > 1 and dialect.delimiter.isascii():
                plain = without_quotes(text, dialect.delimiter, dialect.quote)
                if plain is not None:
                    found = cells_unquoted(plain, dialect.delimiter, width)
            if found is None:
                by, quote = dialect.delimiter, dialect.quote
                records = records_of(self.name, _lines_of(text), by, quote, before)
                columns, lines = columns_of(self.name, records, dialect, width)
            else:
                columns, lines = found[0], found[1] + before
            if first and dialect.header:
                columns, lines = tuple(column.slice(1) for column in columns), lines[1:]
            if lines.size:
                yield columns, lines
            one_end = "\r" not in text
            self._before += text.count("\n") if one_end else sum(1 for _ in _lines_of(text))
        if not codec and not self.stopped:
            raise InputError(f"{self.name} is empty: there is no table in it.")

    def _read_head(self, text: str, codec: str) -> None:
        """Find out how the text is written, and which column is what."""
        self.head = csv_head(self.name, text, codec, self.options.wish)
        columns = tuple(
            RawColumn(name, pa.chunked_array([], pa.string())) for name in self.head.names
        )
        nowhere = np.zeros(0, dtype=np.int64)
        raw = RawTable(self.name, "csv", "", columns, nowhere, "line", self.head.dialect, ())
        problems = Problems(self.name)
        roles = roles_of(raw, self.options, self.label, problems)
        problems.refuse()
        self.extra = roles.extra
        self.features = tuple(name for name in self.head.names if name not in roles.extra)
        self.labels = TwoLabels(str(roles.label), self.yes, self.no)

    def _decoded(self, data: bytes, codec: str, before: int) -> str:
        try:
            text = data.decode(codec)
        except UnicodeDecodeError as error:
            line = before + data.count(b"\n", 0, error.start) + 1
            raise InputError(
                f"{self.name}, line {line}: a byte (0x{data[error.start]:02x}) is not {codec} "
                "text. Say how the text is encoded, for example with --encoding latin-1."
            ) from None
        if "\0" in text:
            line = before + text.count("\n", 0, text.index("\0")) + 1
            raise InputError(f"{self.name}, line {line}: NUL, which no text holds.")
        return text

    # ------------------------------------------------------------------ bytes

    def _blocks(self) -> Iterator[bytes]:
        """Yield the bytes in pieces of whole records; the first has lines enough for a dialect."""
        quote = self.options.quote.encode()
        waiting, first = b"", True
        while data := self._read():
            waiting += data
            end = _end_of_records(waiting, quote)
            if first and end < LARGEST_SAMPLE and waiting.count(b"\n", 0, end) <= SAMPLE_LINES:
                end = 0
            if end:
                if first:
                    self._refuse_other_files(waiting)
                yield waiting[:end]
                waiting, first = waiting[end:], False
            elif len(waiting) > LONGEST:
                raise InputError(
                    f"{self.name}: no row ends within {LONGEST:,} bytes after line {self._before}. "
                    "Perhaps a quote is opened there and never closed; if quotes mean nothing in "
                    "this stream, use --quote ''. Lines end with LF or CR LF."
                )
        if self.stopped:
            waiting = waiting[: _end_of_records(waiting, quote)]
            if first and waiting.count(b"\n") < 2:  # the names of the columns at most
                return
        if waiting:
            self._refuse_other_files(waiting if first else b"")
            yield waiting

    def _read(self) -> bytes:
        """Return the next bytes: a block, or those that came until none did, or PATIENCE ended.

        b"" at the end, and once `stopped`.
        """
        parts: list[bytes] = []
        size, until = 0, float("inf")
        try:
            self.waits = True
            while size < BLOCK and not self._ended and not self.stopped and self._comes(until):
                data = self.file.read1(BLOCK - size)  # type: ignore[attr-defined]
                if data is None:  # of a file that does not block
                    continue
                self._ended = not data
                parts.append(data)
                size += len(data)
                until = min(until, time.monotonic() + PATIENCE)
        except KeyboardInterrupt:
            if not self.stopped:
                raise
        finally:
            self.waits = False
        self.paused = 0 < size < BLOCK and not self._ended
        return b"".join(parts)

    def _comes(self, until: float) -> bool:
        """Return whether bytes, or the end, come before a time of the clock; inf waits for them.

        Where that cannot be asked (a pipe of Windows, bytes in memory), they count as come when
        they are waited for, and as not come else.
        """
        left = None if until == float("inf") else max(0.0, until - time.monotonic())
        try:
            return bool(select.select([self.file], [], [], left)[0])
        except (OSError, ValueError):
            return left is None

    def _refuse_other_files(self, data: bytes) -> None:
        for start, what in OTHER_FILES.items():
            if data.startswith(start):
                raise InputError(f"{self.name} is not CSV: {what}.")


def without_quotes(text: str, delimiter: str, quote: str) -> str | None:
    """Return text without its quotes, where they mean nothing: None where they may.

    They do not where each pair of them is around a whole field without delimiters and line ends.
    """
    if not quote or quote not in text:
        return text
    if len(delimiter) > 1 or not (quote + delimiter).isascii():
        return None
    data = np.frombuffer(f"\n{text}\n".encode(), dtype=np.uint8)
    places = np.flatnonzero(data == ord(quote))
    parts = np.isin(data, np.frombuffer(f"{delimiter}\r\n".encode(), dtype=np.uint8))
    first, last = places[::2], places[1::2]
    if first.size > last.size or not (parts[first - 1] & parts[last + 1]).all():
        return None
    before = np.cumsum(parts, dtype=np.int32)
    if (before[first] != before[last]).any():
        return None
    return bytes(data[data != ord(quote)][1:-1]).decode()


def _of_one_label(labels: LabelColumn, label: str | None) -> int:
    """Return how many first rows have this label; None stands for that of the first."""
    names = np.array(labels.names)[labels.codes]
    others = names != (names[0] if label is None else label)
    return int(np.argmax(others)) if others.any() else others.size


def _lines_of(text: str) -> io.StringIO:
    """Return what yields the lines, their ends (LF, CR LF or CR) as they are."""
    return io.StringIO(text, newline="")


def _end_of_records(data: bytes, quote: bytes) -> int:
    """Return where the last whole record ends: behind a line end that is not within quotes."""
    end = data.rfind(b"\n") + 1
    while end and quote and data.count(quote, 0, end) % 2:
        end = data.rfind(b"\n", 0, end - 1) + 1
    return end


def _ways_out(name: str, kind: str = "") -> str:  # noqa: ARG001  # one shape for all
    """Return what helps when a column of a stream cannot be read."""
    return (
        "A stream has columns of numbers only: correct the value (NA stands for a missing one), "
        f"leave the column out with --drop {shown(name)}, or give a file without --stream, where "
        "text is categories."
    )
