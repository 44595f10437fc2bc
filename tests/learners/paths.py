"""Tables that PLA separates, and its lines as one vector."""

import numpy as np
import pytest
from hypothesis import strategies as st

quiet = pytest.mark.filterwarnings("ignore::separatrix.NotConvergedWarning")


def weights(model):
    return np.append(model.intercept_, model.coef_)


@st.composite
def separable_tables(draw):
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    X = rng.integers(-8, 9, (n, d)).astype(float)
    target = rng.integers(-3, 4, d + 1).astype(float)
    s = X @ target[1:] + target[0] + 0.5  # never zero: the target separates
    target[0] += 0.5
    y = np.sign(s)
    if abs(y.sum()) == n:
        X[0], y[0] = X[0] - np.ceil(s[0] / max(1e-9, target[1:] @ target[1:])) * target[1:], -y[0]
        if np.sign(X[0] @ target[1:] + target[0]) != y[0]:
            X, y, target = np.array([[0.0], [1.0]]), np.array([-1.0, 1.0]), np.array([-0.5, 1.0])
    return X, y, target
