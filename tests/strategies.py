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
