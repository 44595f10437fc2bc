"""CSV text becomes columns of text, with the file line on which each row starts.

`csv_chunks` is the one call. Records are read with the csv module, which knows quoted newlines and
can name the line of a ragged row. A large file whose quotes stand around whole cells is read with
pyarrow instead, which gives the same cells some ten times faster; whatever it refuses goes to the
csv module.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from separatrix._later import pa, pc
from separatrix.data import InputError
from separatrix.said import Said
from separatrix.tables.cells import BLANKS, missing_among, what_is
from separatrix.tables.files.source import Source
from separatrix.tables.options import WHITESPACE, Dialect, Reading
from separatrix.tables.raw import Cells, RawColumn, RawTable
from separatrix.tables.wording import MOST_NAMES, counted, listed, shown, without

LONGEST_FIELD = 131_072  # characters; the csv module's own limit
SAMPLE_CHARACTERS = 2**20
SAMPLE_LINES = 100
LARGE = 2**19  # bytes from which pyarrow's start-up pays
LONGEST_LINE = 64 << 20  # bytes
ROWS = 1 << 16  # of a chunk, where a row has no size in bytes
NEWLINE = b"\n"
BLOCK = 4096  # records turned into columns at a time: bounds the memory taken by small strings

DELIMITERS = ("\t", ";", "|", ",")
BYTE_ORDER_MARKS = (  # UTF-32 before UTF-16: the latter's mark begins the former's
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip

Record = tuple[int, list[str]]  # the 1-based line it starts on, and its fields
Piece = tuple[str, int]  # whole lines of a file, and how many stand before them


@dataclass(frozen=True, slots=True)
class Head:
    """What the first lines of a CSV file say."""

    names: tuple[str, ...]
    dialect: Dialect
    notes: tuple[str, ...]


def csv_chunks(source: Source, reading: Reading) -> Iterator[RawTable]:
    """Yield the rows of a CSV file; `InputError` names the line that cannot be read."""
    head, text = csv_head(source, reading)
    codec = head.dialect.encoding
    pieces = iter([(text, 0)]) if source.is_whole else _pieces(source, codec)
    cut = int(head.dialect.header)
    found = False
    for columns, lines in _parts(source, pieces, head):
        cells = (RawColumn(n, c.slice(cut)) for n, c in zip(head.names, columns, strict=True))
        if lines.size > cut:
            found = True
            yield RawTable(
                source.name, "csv", source.sha256, tuple(cells), lines[cut:], "line",
                head.dialect, head.notes,
            )  # fmt: skip
        cut = 0
    if not found:
        raise InputError(f"{source.name} has a header line and no rows.")


def csv_head(source: Source, reading: Reading) -> tuple[Head, str]:
    """Return how a CSV file is read, and the text that says so: all of it, or its beginning."""
    reading.refuse_dialect()
    name, data = source.name, source.data
    codec = codec_of(data, reading.encoding)
    if not source.is_whole:
        if source.size > len(data):  # cut off: only whole lines
            data = data[: data.rfind(b"\n") + 1] or data
        if codec.lower().replace("_", "-").startswith(("utf-16", "utf-32", "utf16")):
            raise InputError(  # its line ends are no single bytes
                f"{name} is UTF-16 or UTF-32 text, which is not read in blocks. Convert it first: "
                f"iconv -f UTF-16 -t UTF-8 {name} > utf8.csv"
            )
    text = text_of(name, data, codec)
    delimiter = reading.mark or _find_delimiter(name, text, reading.quote)
    if delimiter == reading.decimal:
        raise InputError(
            f"{name}: {delimiter!r} cannot be both the delimiter and the decimal mark. Say "
            "which character separates the columns with --delimiter."
        )
    (first_line, first), is_only = _first_record(name, text, delimiter, reading.quote)
    header = find_header(name, first_line, first, reading)
    if header and is_only:  # said before anything is made for each of its columns
        raise InputError(f"{name} has a header line and no rows.")
    dialect = Dialect(delimiter, codec, header, reading.quote, reading.decimal)
    names, notes = _names(name, first, dialect)
    by = {"\t": "tabs", WHITESPACE: "blanks"}.get(delimiter, repr(delimiter))
    top = Said("column names in line {n}", n=first_line) if header else Said("no column names")
    how = Said(
        "Read as CSV: separated by {by}, {codec}{mark}, {top}.",
        by=Said(by), codec=codec, mark=Said(", decimal comma" * (dialect.decimal == ",")), top=top,
    )  # fmt: skip
    return Head(names, dialect, (how, *notes)), text


def codec_of(data: bytes, encoding: str | None) -> str:
    return encoding or next((c for mark, c in BYTE_ORDER_MARKS if data.startswith(mark)), "utf-8")


def text_of(name: str, data: bytes, codec: str, offset: int = 0, lines: int = 0) -> str:
    """Return bytes as text without a byte-order mark; so many bytes and lines stand before them."""
    try:
        text = data.decode(codec)
        if codec not in ("utf-8", "utf-8-sig"):
            text.encode("utf-8")  # some codecs let halves of characters through
    except LookupError:
        raise InputError(
            f"--encoding {shown(codec)} is not a text encoding Python knows. Usual ones: utf-8, "
            "latin-1, cp1252, utf-16."
        ) from None
    except UnicodeDecodeError as error:
        at = error.start
        byte = f" (0x{data[at]:02x})" if at < len(data) else ""
        raise InputError(
            f"{name}, line {lines + data.count(NEWLINE, 0, at) + 1}: byte {offset + at}{byte} is "
            f"not {codec.removesuffix('-sig')} text. Say how the file is encoded, for example with "
            "--encoding latin-1 or --encoding cp1252."
        ) from None
    except UnicodeError as error:
        raise InputError(f"{name} is not {codec} text ({error}). Try --encoding.") from None
    if "\0" in text:
        before = text[: text.index("\0")].encode(codec)
        at = data.find(b"\0") if codec == "utf-8" else len(before)
        raise InputError(
            f"{name}: byte {offset + at} is NUL, which no text file holds. If the file is UTF-16 "
            "without a byte-order mark, use --encoding utf-16-le (or utf-16-be); else it is not a "
            "CSV file, or damaged."
        )
    return text.removeprefix("\ufeff")


def _pieces(source: Source, codec: str) -> Iterator[Piece]:
    offset = lines = 0
    rest = b""
    with Path(source.path).open("rb") as stream:
        while True:
            data = stream.read(source.at_once)
            end = len(rest) + data.rfind(NEWLINE) + 1 if NEWLINE in data else 0
            rest += data
            if not data:
                end = len(rest)
            elif not end and len(rest) > LONGEST_LINE:
                raise InputError(
                    f"{source.name}, line {lines + 1}: longer than {LONGEST_LINE:,} bytes, so "
                    "this is no table of lines."
                )
            now, rest = rest[:end], rest[end:]
            if now:
                yield text_of(source.name, now, codec, offset, lines), lines
            offset, lines = offset + len(now), lines + now.count(NEWLINE)
            if not data:
                return


def _records(
    name: str, text: str | Iterable[str], delimiter: str, quote: str, before: int = 0
) -> Iterator[Record]:
    """Yield every record that is not blank, of text or of lines, with the line it starts on."""
    lines = io.StringIO(text, newline="") if isinstance(text, str) else text
    reader = csv.reader(
        lines
        if delimiter != WHITESPACE
        else (f"{line.strip(BLANKS)}\n".replace("\t", " ") for line in lines),
        delimiter=" " if delimiter == WHITESPACE else delimiter,
        skipinitialspace=delimiter == WHITESPACE, quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE, strict=True,
    )  # fmt: skip
    start = before + 1
    while True:
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            line = before + reader.line_num
            raise InputError(_csv_trouble(name, start, line, str(error))) from None
        # a blank line: nothing, or blanks without a delimiter or quotes
        alone = fields[0] if len(fields) == 1 else ""
        if fields and not (alone and not alone.strip(BLANKS)):
            yield start, fields
        start = before + reader.line_num + 1


def _csv_trouble(name: str, start: int, line: int, error: str) -> str:
    if "field limit" in error:
        return (
            f"{name}, line {start}: a field is longer than {LONGEST_FIELD:,} characters. Perhaps a "
            "quote was opened there and never closed; if quotes mean nothing in this file, use "
            "--quote ''."
        )
    if "unexpected end" in error:
        return (
            f"{name}, line {start}: a quote is opened in this row and never closed. Close it, or "
            "use --quote '' if quotes mean nothing in this file."
        )
    return (
        f"{name}, line {line}: a closing quote is followed by something else than the delimiter "
        "(a quote inside quotes is written twice). Correct it, say the --delimiter, or use "
        "--quote '' if quotes mean nothing in this file."
    )


def _first_record(name: str, text: str, delimiter: str, quote: str) -> tuple[Record, bool]:
    head = text[:SAMPLE_CHARACTERS]
    if len(head) < len(text):
        with contextlib.suppress(InputError):  # the cut may be within quotes
            beginning = list(itertools.islice(_records(name, head, delimiter, quote), 2))
            if len(beginning) == 2:
                return beginning[0], False
    records = _records(name, text, delimiter, quote)
    first = next(records, None)
    if first is None:
        raise InputError(f"{name} is empty: there is nothing but blanks in it.")
    return first, next(records, None) is None


def _parts(
    source: Source, pieces: Iterator[Piece], head: Head
) -> Iterator[tuple[tuple[Cells, ...], NDArray[np.int64]]]:
    """Yield the cells of records (the first included) as columns of text, and their lines."""
    name, dialect, width = source.name, head.dialect, len(head.names)
    for text, before in pieces:
        # a single column goes by record: there only the csv module tells blanks from an empty line
        if len(text) >= LARGE and width > 1 and f"{dialect.delimiter}{dialect.quote}".isascii():
            found = cells_at_once(text, dialect, width)
            if found is not None:
                yield found[0], found[1] + before
                continue
        quoted = dialect.quote != "" and dialect.quote in text
        # records within quotes may go on from piece to piece: by record from here to the end
        here = itertools.chain([(text, before)], pieces if quoted else ())
        lines = (line for part, _ in here for line in io.StringIO(part, newline=""))
        records = _records(name, lines, dialect.delimiter, dialect.quote, before)
        most = ROWS if quoted and not source.is_whole else None
        while True:
            columns, numbers = columns_of(name, itertools.islice(records, most), dialect, width)
            if numbers.size:
                yield columns, numbers
            if most is None or not numbers.size:
                break


def columns_of(
    name: str, records: Iterable[Record], dialect: Dialect, width: int
) -> tuple[tuple[Cells, ...], NDArray[np.int64]]:
    """Return records as columns of text, and their lines; `InputError` for ragged rows."""
    chunks: list[list[Cells]] = [[] for _ in range(width)]
    lines: list[int] = []
    ragged: list[tuple[int, int]] = []
    records = iter(records)
    while block := list(itertools.islice(records, BLOCK)):
        ragged += [(line, len(fields)) for line, fields in block if len(fields) != width]
        if ragged:
            continue
        lines += [line for line, _ in block]
        by_column = zip(*(fields for _, fields in block), strict=True)
        for column, texts in zip(chunks, by_column, strict=True):
            column.append(pa.array(texts, pa.string()))
    if ragged:
        raise InputError(_ragged(name, ragged, width, dialect))
    columns = tuple(pa.chunked_array(column, pa.string()) for column in chunks)
    return columns, np.array(lines, dtype=np.int64)


def _ragged(name: str, rows: Sequence[tuple[int, int]], width: int, dialect: Dialect) -> str:
    """Return which lines have another number of fields: pairs (line, fields), at most ten."""
    by = dialect.delimiter if dialect.delimiter == WHITESPACE else repr(dialect.delimiter)
    line, found = rows[0]
    if len(rows) == 1:
        what = f"{name}, line {line}: {counted(found, 'field')} where the first line has {width}"
        correct = "Correct the line"
    else:
        some = [f"line {line} ({counted(found, 'field')})" for line, found in rows[:MOST_NAMES]]
        more = f" and {len(rows) - MOST_NAMES:,} more" if len(rows) > MOST_NAMES else ""
        what = f"{name}: {', '.join(some)}{more}, where the first line has {width}"
        correct = "Correct the lines"
    return (
        f"{what} (separated by {by}). {correct}, quote a field that holds the delimiter, or say "
        "the right --delimiter."
    )


def cells_at_once(
    text: str, dialect: Dialect, width: int
) -> tuple[tuple[Cells, ...], NDArray[np.int64]] | None:
    """Return the cells of plain text; None for the csv module, or for it to say what is wrong."""
    import pyarrow.csv as pacsv  # small files do without it

    delimiter, quote = dialect.delimiter, dialect.quote
    if delimiter == WHITESPACE:
        return None
    data = text.encode("utf-8")
    data = data.replace(b"\r\n", b"\n") if b"\r" in data else data
    if b"\r" in data:  # a few old programs end lines so
        return None
    ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n"))
    ends = ends if data.endswith(b"\n") else np.append(ends, len(data))
    starts = np.concatenate(([0], ends[:-1] + 1))
    lines = np.flatnonzero(ends > starts) + 1  # that are not empty, from 1
    quoted = quote != "" and quote in text
    if quoted and not _around_cells(data, ends, delimiter, quote):
        return None
    # pyarrow's own handling can lose an interrupt that comes at the end; Python's comes in time
    pa.enable_signal_handlers(False)
    try:
        table = pacsv.read_csv(
            pa.BufferReader(data),
            pacsv.ReadOptions(autogenerate_column_names=True, block_size=2**23),
            pacsv.ParseOptions(delimiter=delimiter, quote_char=quoted and quote),
            pacsv.ConvertOptions(
                column_types={f"f{k}": pa.string() for k in range(width)}, null_values=[],
                strings_can_be_null=False, check_utf8=False,
            ),
        )  # fmt: skip
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    finally:
        pa.enable_signal_handlers(True)
    columns = tuple(table.columns)
    longest = max(pc.max(pc.binary_length(column)).as_py() or 0 for column in columns)
    if len(columns) != width or table.num_rows != lines.size or longest > LONGEST_FIELD:
        return None
    return columns, lines


def _around_cells(data: bytes, ends: NDArray[np.int64], delimiter: str, quote: str) -> bool:
    """Whether all quotes stand around whole cells, without quotes and ends of lines in them."""
    marks = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord(quote))
    if marks.size % 2:
        return False
    padded = np.frombuffer(b"\n" + data + b"\n", dtype=np.uint8)
    beside = np.concatenate((padded[marks[::2]], padded[marks[1::2] + 2]))
    lines = np.searchsorted(ends, marks)
    edges = (beside == ord(delimiter)) | (beside == ord(NEWLINE))
    return bool(edges.all() and (lines[::2] == lines[1::2]).all())


def _find_delimiter(name: str, text: str, quote: str) -> str:
    """Return the delimiter that gives every line of the file's beginning as many fields."""
    lines = io.StringIO(text[:SAMPLE_CHARACTERS], newline="")
    sample = "".join(itertools.islice(lines, SAMPLE_LINES))
    is_cut = len(sample) < len(text)
    found = {d: _sample_records(sample, d, quote, is_cut) for d in (*DELIMITERS, WHITESPACE)}
    even = [d for d in DELIMITERS if _agreement(found[d]) == 1.0]
    blanks_even = _agreement(found[WHITESPACE]) == 1.0
    if blanks_even and even in ([], ["\t"]) and _is_finer(found[WHITESPACE], found["\t"]):
        return WHITESPACE
    if len(even) > 1:
        raise InputError(
            f"{name} could be separated by {listed(even)}: every line fits each of them. Say which "
            "with --delimiter."
        )
    if even:
        return even[0]
    # ragged, or a single column: the likeliest, so that the error names the right line
    best = max(DELIMITERS, key=lambda d: _agreement(found[d]))
    return best if _agreement(found[best]) > 0.5 else ","


def _sample_records(sample: str, delimiter: str, quote: str, is_cut: bool) -> list[list[str]]:
    records = []
    try:
        for _, fields in _records("", sample, delimiter, quote):
            records.append(fields)  # those before an error are kept
    except InputError:
        return records if is_cut else []  # the sample may end within quotes
    return records[:-1] if is_cut and len(records) > 1 else records


def _agreement(records: list[list[str]]) -> float:
    """Return the part of the records that have the commonest number of fields, if above one."""
    widths = [len(fields) for fields in records]
    if not widths:
        return 0.0
    commonest = max(set(widths), key=widths.count)
    return widths.count(commonest) / len(widths) if commonest > 1 else 0.0


def _is_finer(blanks: list[list[str]], tabs: list[list[str]]) -> bool:
    """Whether blanks split the lines further than tabs do, into nothing but numbers."""
    body = blanks[1:] or blanks
    if _agreement(tabs) < 1.0:
        return True
    further = len(blanks[0]) > len(tabs[0])
    return further and all(what_is(cell) == "number" for fields in body for cell in fields)


def find_header(name: str, line: int, first: list[str], reading: Reading) -> bool:
    """Return whether the first line holds names; `InputError` when it looks like data."""
    if reading.header is not None:
        return reading.header
    cells = [cell.strip(BLANKS) for cell in first]
    present = without(cells, missing_among(cells))
    numbers = sum(what_is(cell, reading.decimal) == "number" for cell in present)
    if numbers == 0 or numbers < len(present) / 2:
        return True
    what = "numbers only" if numbers == len(present) else "mostly numbers"
    raise InputError(
        f"{name}, line {line}: the first line holds {what} ({listed(cells, 5)}), so it may be data "
        "and not the column names. Use --no-header if it is data (the columns are then called "
        "'column 1', 'column 2', ...), or --header if these are the names."
    )


def _names(
    name: str, first: list[str], dialect: Dialect
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the column names and what there is to say about them."""
    if not dialect.header:
        return tuple(f"column {k}" for k in range(1, len(first) + 1)), ()
    nameless = [k for k, cell in enumerate(first, 1) if not cell.strip(BLANKS)]
    names = tuple(cell if cell.strip(BLANKS) else f"column {k}" for k, cell in enumerate(first, 1))
    refuse_duplicates(name, names)
    notes = []
    if nameless:
        called = listed(f"column {k}" for k in nameless)
        notes.append(f"Columns without a name are called {called}.")
    numbers = [n for n in names if what_is(n.strip(BLANKS)) == "number"]
    if numbers:
        notes.append(
            f"Some column names are numbers ({listed(numbers, 3)}): if the first line is data, use "
            "--no-header."
        )
    return names, tuple(notes)


def refuse_duplicates(name: str, names: tuple[str, ...]) -> None:
    if len(set(names)) == len(names):
        return
    twice = Counter(names).most_common(1)[0][0]
    places = [k for k, n in enumerate(names, 1) if n == twice]
    raise InputError(
        f"{name}: {len(places)} columns are called {shown(twice)} (columns {places[0]} and "
        f"{places[1]}). Give them different names, or use --no-header if the first line is data."
    )
