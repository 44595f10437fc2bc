"""Hypothesis strategies: small tables whose answer is known by how they were made."""

import numpy as np
from hypothesis import strategies as st

small = st.integers(-3, 3)


@st.composite
def labelled_grids(draw, max_rows=8, max_columns=3, entries=small):
    """X of small integers and y in -1, +1 with both present: many ties, duplicates, zero rows."""
    n = draw(st.integers(2, max_rows))
    d = draw(st.integers(1, max_columns))
    X = [[draw(entries) for _ in range(d)] for _ in range(n)]
    y = [draw(st.sampled_from([-1, 1])) for _ in range(n)]
    y[0], y[1] = 1, -1
    return np.array(X, dtype=float), np.array(y, dtype=float)


@st.composite
def planted_lines(draw, max_rows=10, max_columns=4):
    """X, y, w with every row strictly on the right side of the integer line w (1+d,)."""
    d = draw(st.integers(1, max_columns))
    w = np.array([draw(small) for _ in range(d + 1)], dtype=float)
    n = draw(st.integers(2, max_rows))
    X = np.array([[draw(st.integers(-9, 9)) for _ in range(d)] for _ in range(n)], dtype=float)
    scores = X @ w[1:] + w[0]
    keep = scores != 0
    return X[keep], np.sign(scores[keep]), w
