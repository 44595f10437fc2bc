"""Parquet bytes become columns with the types the file gives them; rows are counted from 1."""

from __future__ import annotations

import pyarrow as pa

from separatrix.data import InputError, require_memory
from separatrix.tables.cells import RawColumn
from separatrix.tables.files.source import Source
from separatrix.tables.scan import refuse_duplicates
from separatrix.tables.wording import counted, shown

MAGIC = b"PAR1"


def is_parquet(source: Source) -> bool:
    """Whether the bytes begin and end as Parquet files do."""
    return source.data.startswith(MAGIC)


def parquet_columns(source: Source) -> tuple[RawColumn, ...]:
    """Return the columns of a Parquet file; dictionary columns are categories."""
    if not is_parquet(source):
        raise InputError(f"{source.name} is not a Parquet file (it does not begin with PAR1).")
    try:
        table = _read(source)
        names = tuple(table.column_names)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{source.name} is a broken Parquet file: {shown(str(error))}. Write it again."
        ) from None
    refuse_duplicates(source.name, names)
    if table.num_rows == 0 or table.num_columns == 0:
        raise InputError(f"{source.name} has {counted(table.num_columns, 'column')} and no rows.")
    return tuple(
        raw_column(name, column) for name, column in zip(names, table.columns, strict=True)
    )


def _read(source: Source) -> pa.Table:
    import pyarrow.parquet as pq  # CSV files do without it

    file = pq.ParquetFile(pa.BufferReader(source.data))
    about = file.metadata
    # what the file itself says it unpacks to, and the numbers made of it
    unpacked = sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups))
    require_memory(unpacked + 8 * about.num_rows * about.num_columns, f"Reading {source.name}")
    table = file.read()
    table.validate(
        full=True
    )  # text that is no UTF-8 shows itself here, not in the middle of it all
    return table


def raw_column(name: str, column: pa.ChunkedArray) -> RawColumn:
    """Return a column of Arrow's; a dictionary column is one of categories."""
    if not pa.types.is_dictionary(column.type):
        return RawColumn(name, column)
    return RawColumn(name, column.cast(column.type.value_type), is_category=True)
