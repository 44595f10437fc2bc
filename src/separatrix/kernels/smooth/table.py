"""What every pass over the rows is given: a table with its labels and weights."""

from separatrix.kernels.rows import Floats, Rows

# Rows x_n, dense or sparse; numbers y_n to fit (N,), -1 or +1 for yes / no; weights (N,); x0, the
# constant before each row. A plain tuple: entering a kernel with a named one takes 1 us longer.
Table = tuple[Rows, Floats, Floats, float]
