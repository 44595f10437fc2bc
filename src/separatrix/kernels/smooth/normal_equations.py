"""Sums of products of columns, and least-squares residuals: the compiled part of least squares.

The Gram matrix of a block of rows takes its columns, packed one after the other, four by four: 16
sums live in registers while 8 columns pass, so that the processor multiplies instead of waiting
for memory. Residuals and their sums over the rows come from one read of the rows; for tables near
the limits of float64 both come in twice its precision (Ogita, Rump & Oishi 2005).
"""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import ask_ahead, compiled, part, part_any_order, part_fused
from separatrix.kernels.rows import Floats, Rows, Table, add_block, rows_of_block, scores_of_block

BLOCK = 512  # rows of packed columns: eight columns fit into the nearest cache
PADDING = 8  # numbers: columns that lie a power of two apart would evict one another
STRIP = 64  # columns whose packed block stays in the next cache
SPLITTER = 2.0**27 + 1.0  # cuts a float64 into two halves of 26 bits

Packed = NDArray[np.floating]


@part_fused
def _pack(
    rows: Rows, y: Floats, root: Floats, start: int, stop: int,
    shift: Floats, scale: Floats, columns: Packed
) -> None:  # fmt: skip
    """Write root (1, x scale - shift, y) of rows start, ..., stop - 1 as columns."""
    d = scale.size
    roots, targets = root[start:stop], y[start:stop]  # indices from 0 are known not to be < 0
    ones, last = columns[0, : roots.size], columns[d + 1, : roots.size]
    for k in range(roots.size):
        ones[k] = roots[k]
        last[k] = targets[k] * roots[k]
    done = start
    if not isinstance(rows, tuple):
        points = rows[start:stop]
        row_size = points.shape[1] * points.itemsize
        for k in range(0, points.shape[0] - 3, 4):
            ask_ahead(points.ctypes.data + k * row_size, 4 * row_size)
            a, b, c, e = points[k], points[k + 1], points[k + 2], points[k + 3]
            of_a, of_b, of_c, of_e = roots[k], roots[k + 1], roots[k + 2], roots[k + 3]
            for j in range(d):
                four, by, off = columns[j + 1, k : k + 4], scale[j], shift[j]
                four[0] = (a[j] * by - off) * of_a
                four[1] = (b[j] * by - off) * of_b
                four[2] = (c[j] * by - off) * of_c
                four[3] = (e[j] * by - off) * of_e
            done += 4
    for i in range(done, stop):
        _pack_row(rows, i, i - start, root[i], shift, scale, columns)


@part_fused
def _pack_row(
    rows: Rows, i: int, k: int, root: float, shift: Floats, scale: Floats, columns: Packed
) -> None:
    """Write root (x scale - shift) of row i as the k-th numbers of the columns."""
    for j in range(scale.size):
        columns[j + 1, k] = -shift[j] * root
    if isinstance(rows, tuple):
        data, indices, indptr = rows
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            columns[j + 1, k] = (data[p] * scale[j] - shift[j]) * root
    else:
        for j in range(scale.size):
            columns[j + 1, k] = (rows[i, j] * scale[j] - shift[j]) * root


@part_any_order
def _add_products(columns: Packed, i: int, j: int, n: int, G: Floats) -> None:
    """Add the products of columns i, ..., i + 3 with columns j, ..., j + 3 to G."""
    a0, a1, a2, a3 = columns[i, :n], columns[i + 1, :n], columns[i + 2, :n], columns[i + 3, :n]
    b0, b1, b2, b3 = columns[j, :n], columns[j + 1, :n], columns[j + 2, :n], columns[j + 3, :n]
    nothing = columns.dtype.type(0)
    s00 = s01 = s02 = s03 = s10 = s11 = s12 = s13 = nothing
    s20 = s21 = s22 = s23 = s30 = s31 = s32 = s33 = nothing
    for k in range(n):
        x0, x1, x2, x3 = a0[k], a1[k], a2[k], a3[k]
        y0, y1, y2, y3 = b0[k], b1[k], b2[k], b3[k]
        s00 += x0 * y0
        s01 += x0 * y1
        s02 += x0 * y2
        s03 += x0 * y3
        s10 += x1 * y0
        s11 += x1 * y1
        s12 += x1 * y2
        s13 += x1 * y3
        s20 += x2 * y0
        s21 += x2 * y1
        s22 += x2 * y2
        s23 += x2 * y3
        s30 += x3 * y0
        s31 += x3 * y1
        s32 += x3 * y2
        s33 += x3 * y3
    for r, row in enumerate((
        (s00, s01, s02, s03), (s10, s11, s12, s13), (s20, s21, s22, s23), (s30, s31, s32, s33),
    )):  # fmt: skip
        for c in range(4):
            G[i + r, j + c] += row[c]


@compiled
def gram(
    rows: Rows, y: Floats, root: Floats, start: int, stop: int,
    shift: Floats, scale: Floats, zero: Packed
) -> Floats:  # fmt: skip
    """Return sum z z' over rows start, ..., stop - 1 with z = root (1, x scale - shift, y).

    Products are rounded to the kind of float that `zero` (1,) is, sums of blocks to float64. The
    result (m, m) has m = 2 + d, rounded up to a multiple of 4; only its blocks of 4 by 4 on and
    above the diagonal are filled.
    """
    m = (scale.size + 5) // 4 * 4
    columns = np.empty((m, BLOCK + PADDING), dtype=zero.dtype)
    for j in range(scale.size + 2, m):
        for k in range(BLOCK):
            columns[j, k] = zero[0]
    G = np.zeros((m, m))
    for first in range(start, stop, BLOCK):
        end = min(first + BLOCK, stop)
        _pack(rows, y, root, first, end, shift, scale, columns)
        for strip in range(0, m, STRIP):
            right = min(strip + STRIP, m)
            for i in range(0, right, 4):
                for j in range(max(i, strip), right, 4):
                    _add_products(columns, i, j, end - first, G)
    return G


@compiled
def residuals_and_sums(
    table: Table, w: Floats, residuals: Floats, start: int, stop: int, tile: int
) -> Floats:
    """Write y - w.(x0, x); return sum weight residual (x0, x) over each tile, (tiles, 1+d)."""
    rows, y, weight, x0 = table
    block = rows_of_block(w.size)
    factors = np.empty(block)
    sums = np.zeros(((stop - start + tile - 1) // tile, w.size))
    for t in range(sums.shape[0]):
        last = min(start + (t + 1) * tile, stop)
        for first in range(start + t * tile, last, block):
            end = min(first + block, last)
            scores_of_block(rows, first, end, w, x0, factors)
            for k in range(end - first):
                residuals[first + k] = y[first + k] - factors[k]
                factors[k] = weight[first + k] * residuals[first + k]
            add_block(rows, first, end, factors, sums[t], x0)
    return sums


@part
def _sum_of(a: float, b: float) -> tuple[float, float]:
    """Return a + b rounded, and what rounding took (Knuth 1998, section 4.2.2)."""
    s = a + b
    c = s - a
    return s, (a - (s - c)) + (b - c)


@part
def _product_of(a: float, b: float) -> tuple[float, float]:
    """Return a b rounded, and what rounding took, for factors below 2^970 (Dekker 1971)."""
    p = a * b
    t, u = SPLITTER * a, SPLITTER * b
    high_a, high_b = t - (t - a), u - (u - b)
    low_a, low_b = a - high_a, b - high_b
    return p, ((high_a * high_b - p) + high_a * low_b + low_a * high_b) + low_a * low_b


@compiled
def sums_left(A: Floats, target: Floats, weight: Floats, c: Floats) -> Floats:
    """Return A' weight (target - A c) in twice the precision: what is to be added, (2, k).

    At the minimiser it is 0, a difference of sums that are not; c (2, k) is to be added, too.
    """
    n, k = A.shape
    sums = np.zeros((2, k))
    for i in range(n):
        s, e = target[i], 0.0
        for j in range(k):
            p, q = _product_of(-A[i, j], c[0, j])
            s, t = _sum_of(s, p)
            e += t + (q - A[i, j] * c[1, j])
        s, e = _sum_of(s, e)  # e is large where scores nearly cancel
        r, rest = _product_of(weight[i], s)
        rest += weight[i] * e
        for j in range(k):
            p, q = _product_of(A[i, j], r)
            sums[0, j], t = _sum_of(sums[0, j], p)
            sums[1, j] += t + (q + A[i, j] * rest)
    return sums
