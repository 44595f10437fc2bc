"""Tables, and their fewest mistakes by definition."""

from fractions import Fraction

import numpy as np

from separatrix.plain.fewest_mistakes import fewest_mistakes


def tiny(seed, n_most=9):
    """A few rows of small integers, with ties, duplicates and contradictions; weights; x0."""
    r = np.random.default_rng(seed)
    d, n, reach = int(r.integers(1, 4)), int(r.integers(2, n_most + 1)), int(r.integers(1, 5))
    X = r.integers(-reach, reach + 1, (n, d)).astype(float)
    y = r.integers(0, 2, n)
    y[0] = 1 - y[1]
    weight = r.integers(1, 4, n) * (0.1 if seed % 5 == 0 else 1.0) if seed % 2 else np.ones(n)
    return X, y, weight, seed % 3 > 0


def definition(X, y, weight, fit_intercept):
    rows = [
        [int(s) * int(v) for v in ([1] if fit_intercept else []) + list(x)]
        for x, s in zip(X, 2 * y - 1, strict=True)
    ]
    return fewest_mistakes(rows, [Fraction(a) for a in weight])


def noisy(n, d, noise, seed=0):
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, d))
    y = np.where(X @ r.standard_normal(d) + 0.3 > 0, 1, -1)
    return X, np.where(r.random(n) < noise, -y, y)


def beside_a_plane(n=60, d=4, seed=0):
    """Rows one step of the last bit off a plane: separable, and by no line of doubles yet found."""
    r = np.random.default_rng(seed)
    w = r.standard_normal(d + 1)
    X = r.standard_normal((n, d))
    X[:, -1] = -(w[0] + X[:, :-1] @ w[1:-1]) / w[-1]
    above, below = X.copy(), X.copy()
    above[:, -1] = np.nextafter(X[:, -1], np.inf)
    below[:, -1] = np.nextafter(X[:, -1], -np.inf)
    X, exact = np.vstack([X, above, below]), [Fraction(a) for a in w]
    scores = [sum(a * Fraction(b) for a, b in zip(exact, (1, *x), strict=True)) for x in X]
    return X, np.where([s > 0 for s in scores], 1, -1)


def sizes_far_apart(d=3):
    """Rows whose lines need weights 1e600 times each other."""
    X = 1e-300 * np.eye(d) - 1e300 * np.eye(d, k=1)
    return np.vstack([X, -X[-1]]), np.append(np.ones(d), -1)
