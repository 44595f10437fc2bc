"""Files in: CSV, Parquet and LIBSVM tables become columns, labels and features.

A table is read in this order, one small file for each step: `files/source` (the bytes), `scan` or
one of `files/` (chunks of cells, and the line each row starts on), `cells` (number, category, or
refused), `kept` (numbers, or codes of texts), `gathering` (all chunks: labels, columns, what is
wrong), `columns` (columns to features), `monomials` (features to their products), `read` (what it
all becomes, and the calls below). How it is read is one object, `options.Reading`. Rows of numbers
are made by `columns.Encoding.encode`; of tables read in blocks by `separatrix.scale`
(`parquet_rows`, `converting`).
"""

from separatrix.tables.cells import MISSING_TOKENS, missing_beside
from separatrix.tables.columns import (
    CategoryColumn,
    CategoryEncoding,
    Column,
    Encoding,
    NumberColumn,
    NumberEncoding,
    SparseColumn,
    fit_encoding,
    take,
)
from separatrix.tables.frames import read_frame
from separatrix.tables.monomials import Monomials
from separatrix.tables.options import Dialect
from separatrix.tables.read import ClassTable, NewRows, Table, read_classes, read_rows, read_table
