"""Tables that do not fit into memory: read in blocks of rows, on this machine or on a cluster.

A `Source` reads rows of arrays or files. `Rows` cuts them into blocks of whole tiles, and goes
over them in three ways: `map` (a result for each block), `sum` (a sum over the tiles) and `fold`
(a state from block to block). An array in memory is one block. Who goes over the blocks is a back
end: a loop on this machine or Dask (`back_ends`), or runs that share reads (`together`). Sums are
added tile by tile in the order of the rows, so that results are the same bytes for any size of
block and any number of workers.

In reading order: `source`, `npy`, `budget`, `back_ends` (with `Block`), `rows`, `together`; then
where tables in files come from: `parquet_rows`, `converting` (to scratch files, which `encoded`
reads), `tables_of_files`.
"""

from separatrix.scale.back_ends import Block, Loop
from separatrix.scale.budget import memory_budget, memory_in_bytes
from separatrix.scale.npy import NpySource
from separatrix.scale.rows import Rows
from separatrix.scale.source import ArraySource, Source
from separatrix.scale.view import with_constant
