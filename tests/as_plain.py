"""Arrays as `separatrix.plain` takes them: lists of rows (1, x_1, ..., x_d), labels -1 and +1."""

import numpy as np

from separatrix.plain import score


def rows(X, x0=1):
    return score.with_constant(np.asarray(X).tolist(), int(x0))


def labels(y):
    return [int(label) for label in y]


def mistakes(X, y, w, sign_of_zero="mistake"):
    """The rows of arrays X, y that the line w gets wrong."""
    return score.mistakes(np.asarray(w).tolist(), rows(X), labels(y), sign_of_zero)


def floats(w):
    """Plain weights (1+d,) as the learners hold them."""
    return np.array([float(a) for a in w])
