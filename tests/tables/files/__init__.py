"""Files as tests of reading write them."""

import pyarrow as pa
import pyarrow.parquet as pq

from separatrix.tables import NumberColumn


def values(table, name):
    column = next(c for c in table.columns if c.name == name)
    if isinstance(column, NumberColumn):
        return column.values.tolist()
    return [column.levels[k] if k >= 0 else None for k in column.codes]


def parquet(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


PLAIN = "age,income,label\n20,1.5,no\n30,2.5,yes\n40,3.5,yes\n"
