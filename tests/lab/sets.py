"""Point sets for the page and for the library, and what the page computes of them."""

import struct

import numpy as np

VISITS = ("cyclic", "naive", "permuted", "random")
TIES = {0: "mistake", 1: 1, -1: -1}


def bits(weights):
    """Return the 64 bits of each weight, in hexadecimal."""
    return [struct.pack(">d", float(w)).hex() for w in weights]


def both_labels(y):
    """Return labels of which there are two, by turning one where all are equal."""
    return y if len(set(y)) == 2 else np.append(y[:-1], -y[-1])


def point_sets(count, seed):
    """Yield points (N, 2) and labels: normal, on a grid, of one decimal, on scales far apart."""
    random = np.random.default_rng(seed)
    for k in range(count):
        n = int(random.integers(3, 60))
        X = [
            lambda n=n: random.standard_normal((n, 2)),
            lambda n=n: random.integers(-4, 5, (n, 2)).astype(float),
            lambda n=n: np.round(random.standard_normal((n, 2)), 1),
            lambda n=n: random.standard_normal((n, 2)) * [1e-8, 1e8],
            lambda n=n: np.outer(random.integers(-5, 6, n), [1.0, 2.0]) / 4,  # collinear
        ][k % 5]()
        w = random.standard_normal(3)
        y = np.where(w[0] + X @ w[1:] > 0, 1, -1)
        if k % 3:
            y[random.random(n) < 0.1] *= -1
        yield X, both_labels(y)


def walks(count, seed):
    """Return what is asked of PLA and the pocket, as the page takes it."""
    random = np.random.default_rng(seed)
    return [
        {
            "X": X.tolist(), "y": y.tolist(), "visit": VISITS[k % 4],
            "signOfZero": (0, 1, -1)[k % 3], "eta": (1.0, 0.3, 2.5)[k // 4 % 3],
            "seed": int(random.integers(0, 2**32 - 1)),
            "start": random.integers(-2, 3, 3).astype(float).tolist() if k % 5 == 0 else [0, 0, 0],
            "maxUpdates": 1000,
        }
        for k, (X, y) in enumerate(point_sets(count, seed))
    ]  # fmt: skip


WALK = """async (sets) => {
  const { pla } = await import("lab/pla.js");
  const { pocket } = await import("lab/pocket.js");
  const view = new DataView(new ArrayBuffer(8));
  const bits = (x) => {
    view.setFloat64(0, x);
    return view.getBigUint64(0).toString(16).padStart(16, "0");
  };
  return sets.map(({ X, y, ...options }) => {
    const rows = X.map((x) => [1, ...x]);
    const walk = pla(rows, y, options);
    const kept = pocket(rows, y, { ...options, eta: 1, maxUpdates: 200 });
    return {
      rows: walk.rows, w: walk.weights.at(-1).map(bits), passes: walk.passes,
      done: walk.ended === "done", pocketRows: kept.rows, pocket: kept.best.at(-1).map(bits),
      swaps: kept.swaps.length,
    };
  });
}"""

DECIDE = """async (sets) => {
  const { separable, scoreOf } = await import("lab/separable.js");
  const { fewestMistakes } = await import("lab/fewest.js");
  const { exactPoints } = await import("lab/hull.js");
  const { largestMargin } = await import("lab/margin.js");
  return sets.map(({ X, y }) => {
    const [found, fewest] = [separable(X, y), fewestMistakes(X, y)];
    const points = exactPoints(X).points;
    const wrong = (w) => points.filter((p, n) => scoreOf(w, p) * BigInt(y[n]) <= 0n).length;
    const rows = X.map((x) => [1, ...x]);
    const margin = found.line ? largestMargin(rows, y, found.weights) : null;
    return {
      verdict: found.verdict,
      wrong: found.line ? wrong(found.line) : null,
      rows: found.rows ?? null,
      multipliers: found.multipliers?.map(String) ?? null,
      fewest: fewest.mistakes,
      counted: wrong(fewest.line),
      bound: margin && String(margin.bound),
    };
  });
}"""

DESCEND = """async (sets) => {
  const { gradientDescent } = await import("lab/descent.js");
  const { linearRegression, logisticRegression } = await import("lab/regression.js");
  return sets.map(({ X, y, ...options }) => {
    const rows = X.map((x) => [1, ...x]);
    return {
      descent: gradientDescent(rows, y, options).weights.at(-1),
      linear: linearRegression(rows, y),
      logistic: logisticRegression(rows, y)?.weights.at(-1) ?? null,
    };
  });
}"""
