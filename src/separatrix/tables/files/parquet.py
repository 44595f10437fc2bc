"""Parquet bytes become columns with the types the file gives them; rows are counted from 1.

Rows that are read in blocks are made by `separatrix.scale.parquet_rows`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from separatrix.data import InputError, require_memory
from separatrix.tables.files.source import Source
from separatrix.tables.raw import RawColumn
from separatrix.tables.scan import refuse_duplicates
from separatrix.tables.wording import counted, shown

AT_ONCE, NUMBERS_AT_ONCE = 1 << 16, 1 << 21  # rows of a chunk, and numbers in them, at the most
BUFFER = 1 << 17  # bytes read ahead of each column


def parquet_chunks(source: Source) -> Iterator[tuple[RawColumn, ...]]:
    """Yield the columns of a Parquet file; dictionary columns are categories."""
    import pyarrow.parquet as pq  # CSV files do without it

    if not source.data.startswith(b"PAR1"):
        raise InputError(f"{source.name} is not a Parquet file (it does not begin with PAR1).")
    where = pa.BufferReader(source.data) if source.is_whole else source.path
    with refused(source.name), pq.ParquetFile(where, buffer_size=BUFFER, pre_buffer=False) as file:
        about, names = file.metadata, tuple(file.schema_arrow.names)
        refuse_duplicates(source.name, names)
        if about.num_rows == 0 or not names:
            raise InputError(f"{source.name} has {counted(len(names), 'column')} and no rows.")
        if source.is_whole:
            # what the file itself says it unpacks to, and the numbers made of it
            unpacked = sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups))
            require_memory(unpacked + 8 * about.num_rows * len(names), f"Reading {source.name}")
            tables = iter([file.read()])
        else:
            rows = min(AT_ONCE, max(1, NUMBERS_AT_ONCE // len(names)))
            tables = (pa.Table.from_batches([batch]) for batch in file.iter_batches(rows))
        for table in tables:
            table.validate(full=True)  # text that is no UTF-8 shows itself here
            yield tuple(
                raw_column(n, column) for n, column in zip(names, table.columns, strict=True)
            )


@contextmanager
def refused(name: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{name} is a broken Parquet file: {shown(str(error))}. Write it again."
        ) from None


def raw_column(name: str, column: pa.ChunkedArray) -> RawColumn:
    if not pa.types.is_dictionary(column.type):
        return RawColumn(name, column)
    return RawColumn(name, column.cast(column.type.value_type), is_category=True)
