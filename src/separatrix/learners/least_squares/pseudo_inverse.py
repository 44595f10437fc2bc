"""The pseudo-inverse X^+ of any real matrix, and the hat matrix H = X X^+ (lecture 9).

X = Q F with orthonormal columns in Q and full row rank in F, so X^+ = F^+ Q'. The rank is judged
in columns scaled by powers of two, F^+ is taken in the user's own units (Golub & Van Loan 2013,
section 5.5; Cox & Higham 1998).
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from separatrix._types import ArrayLike
from separatrix.data import Floats, InputError, dense, require_memory, to_points
from separatrix.learners.least_squares.least_squares import factorised, power_of_two_scale
from separatrix.tiles import one_blas_thread


def pseudo_inverse(X: ArrayLike) -> Floats:
    """Return X^+ (m, n) of a matrix X (n, m) of any shape and rank.

    It is the only matrix with Penrose's four properties: X X^+ X = X, X^+ X X^+ = X^+, and both
    X X^+ and X^+ X are symmetric. Among the w that minimise |X w - y|, X^+ y is the shortest; all
    of them are X^+ y + (I - X^+ X) v, one for every v (m,). A constant column is not added.

    Raises
    ------
    InputError
        For anything but a table of finite numbers, and for numbers so small that X^+ overflows.

    Examples
    --------
    >>> pseudo_inverse([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.5, 0.0]]

    Every minimiser, here of (w_1 + w_2 - 3)^2: the shortest, and what v adds to it.

    >>> X, y, v = np.array([[1.0, 1.0]]), np.array([3.0]), np.array([1.0, 0.0])
    >>> inverse = pseudo_inverse(X)
    >>> (inverse @ y).round(9).tolist()
    [1.5, 1.5]
    >>> (inverse @ y + (np.eye(2) - inverse @ X) @ v).round(9).tolist()
    [2.0, 1.0]
    """
    A = dense(to_points(X), "a dense matrix")
    scale = power_of_two_scale(A)
    factors = factorised(A * scale)
    if factors.rank == 0:
        return np.zeros(A.shape[::-1])
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        inverse, Q = np.empty(A.shape[::-1]), factors.Q.T
        if factors.rank == A.shape[1]:  # X^+ = S P R^-1 Q': the scaling is undone exactly
            inverse[factors.pivot] = scipy.linalg.solve_triangular(factors.R, Q, check_finite=False)
            inverse *= scale[:, np.newaxis]
        else:  # X^+ = F^+ Q', with F = R P' S^-1 = (G T)' and so F^+ = G T^-T
            G, T, pivot, falling = factors.row_space(scale)
            inverse[falling] = G @ scipy.linalg.solve_triangular(
                T, Q[pivot], trans="T", check_finite=False
            )
    if not np.isfinite(inverse).all():
        raise InputError(
            "the pseudo-inverse holds numbers that float64 cannot (above 1.8e308), because X holds "
            "very small ones. Multiply X by some c; the pseudo-inverse of X is c times that of c X."
        )
    return np.asarray(inverse + 0.0)  # no -0.0


def hat_matrix(X: ArrayLike) -> Floats:
    """Return H = X X^+ (n, n) of a matrix X (n, m): the projection y^ = H y.

    H projects on the columns of X: symmetric (exactly, here), H^k = H, (I - H)^k = I - H, and its
    trace is the rank of X. Its diagonal holds the leverages. A constant column is not added:
    ``LinearRegression().leverages(X)`` is the diagonal for the table with one, without forming H.

    Raises
    ------
    InputError
        For anything but a table of finite numbers, and when H would not fit into memory.

    Examples
    --------
    >>> hat_matrix([[1.0], [1.0]]).round(9).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    A = dense(to_points(X), "a dense matrix")
    require_memory(16 * A.shape[0] ** 2, f"The hat matrix of {A.shape[0]:,} rows")
    Q = factorised(A * power_of_two_scale(A)).Q
    with one_blas_thread():
        H = Q @ Q.T
    return np.asarray((H + H.T) / 2.0)
