"""What the page computes is what the library computes, bit for bit where the path is canonical."""

import json
import re
import struct
import time
import warnings
from fractions import Fraction

import numpy as np
import pytest

import separatrix as sx
from separatrix.lab import single_file
from tests.browser import needs_chromium
from tests.firefox import PATIENCE, needs_firefox
from tests.hostile.profile import cases

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


pytestmark = [needs_chromium, pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")]


def equal_paths(asked, found):
    """Assert that walks of the page are the library's, every bit of w included."""
    for one, page in zip(asked, found, strict=True):
        how = {
            "visit": one["visit"],
            "sign_of_zero": TIES[one["signOfZero"]],
            "random_state": one["seed"],
            "init": one["start"],
        }
        walk = sx.Perceptron(
            **how, learning_rate=one["eta"], max_updates=one["maxUpdates"], max_iter=None
        ).fit(one["X"], one["y"])
        assert page["rows"] == walk.trace_.rows.tolist()
        assert page["w"] == bits([*walk.intercept_, *walk.coef_[0]])
        assert page["passes"] == walk.n_iter_
        assert page["done"] == (walk.stopped_ is sx.Perceptron().fit([[0], [1]], [0, 1]).stopped_)
        kept = sx.Pocket(**how, max_updates=200).fit(one["X"], one["y"])
        assert page["pocketRows"] == kept.trace_.rows.tolist()
        assert page["pocket"] == bits([*kept.intercept_, *kept.coef_[0]])
        assert page["swaps"] == kept.n_swaps_


def test_paths_of_pla_and_the_pocket_are_the_library_s_bit_for_bit(opened):
    asked = walks(cases(80, 1000), seed=16)
    equal_paths(asked, opened().evaluate(WALK, asked))


def test_verdicts_and_fewest_mistakes_are_exact(opened):
    sets = list(point_sets(cases(50, 500), seed=17))
    asked = [{"X": X.tolist(), "y": y.tolist()} for X, y in sets]
    equal_verdicts(sets, opened().evaluate(DECIDE, asked))


def equal_verdicts(sets, found):
    """Assert that verdicts and fewest mistakes of the page are the library's, and proven."""
    for (X, y), page in zip(sets, found, strict=True):
        assert page["verdict"] == sx.separability(X, y).verdict
        bracket = sx.minimum_errors(X, y)
        assert bracket.lower == bracket.upper == page["fewest"] == page["counted"]
        if page["verdict"] == "separable":
            assert page["wrong"] == 0
            assert int(page["bound"]) >= 1
        else:
            assert contradict(X, y, page["rows"], [int(m) for m in page["multipliers"]])


def contradict(X, y, rows, multipliers):
    """Whether these rows, so multiplied, add up to nothing."""
    Z = [[Fraction(int(y[n])) * Fraction(a) for a in (1.0, *X[n])] for n in rows]
    sums = [sum(m * z[j] for m, z in zip(multipliers, Z, strict=True)) for j in range(3)]
    return min(multipliers) > 0 and len(rows) <= 4 and not any(sums)


def descents(count):
    """Return what is asked of the descents, as the page takes it."""
    measures, random = ("perceptron", "squared", "cross_entropy"), np.random.default_rng(18)
    asked = []
    for k in range(count):
        X = random.standard_normal((30, 2))
        y = np.where(X @ [1.0, -0.5] + random.standard_normal(30) > 0, 1, -1)
        asked.append({
            "X": X.tolist(), "y": y.tolist(), "measure": measures[k % 3], "eta": 0.05,
            "batch": ("batch", "online")[k % 2], "maxUpdates": 150,
        })  # fmt: skip
    return asked


def equal_descents(asked, found):
    """Assert that descents and regressions of the page end where the library's do."""
    for one, page in zip(asked, found, strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = sx.GradientDescent(
                error=one["measure"], learning_rate=0.05, max_updates=150, tol=0.0,
                batch_size=1 if one["batch"] == "online" else None, shuffle=False,
            ).fit(one["X"], one["y"])  # fmt: skip
            line = sx.LinearRegressionClassifier().fit(one["X"], one["y"])
            logit = sx.LogisticRegression(tol=1e-12).fit(one["X"], one["y"])
        for mine, theirs, off in (
            (page["descent"], model, 1e-12),
            (page["linear"], line, 1e-12),
            (page["logistic"], logit, 1e-5),
        ):
            weights = np.array([*theirs.intercept_, *theirs.coef_[0]])
            if off < 1e-9 or isinstance(logit.certificate_, sx.LogisticGap):
                np.testing.assert_allclose(mine, weights, rtol=off, atol=off)


def test_descents_agree_to_1e_12(opened):
    asked = descents(60)
    equal_descents(asked, opened().evaluate(DESCEND, asked))


@needs_firefox
def test_firefox_computes_the_same(fox, tmp_path):
    """Its own engine has sums, powers and exponentials of its own."""
    walked, decided, descended = (
        walks(cases(48, 200), seed=16),
        point_sets(30, seed=17),
        descents(12),
    )
    decided = list(decided)
    sets = [{"X": X.tolist(), "y": y.tolist()} for X, y in decided]
    equal_paths(walked, in_firefox(fox, tmp_path, WALK, walked))
    equal_verdicts(decided, in_firefox(fox, tmp_path, DECIDE, sets))
    equal_descents(descended, in_firefox(fox, tmp_path, DESCEND, descended))


def in_firefox(fox, folder, function, asked):
    """Return what a function finds in a page of the lab's modules alone: the lab runs no text."""
    script = (
        f"document.body.dataset.found = JSON.stringify(await ({function})({json.dumps(asked)}));"
    )
    page = single_file()
    (modules,) = re.findall(r'<script type="importmap">(.*?)</script>', page, re.S)
    path = folder / "modules.html"
    path.write_text(
        f'<!doctype html><meta charset="utf-8"><script type="importmap">{modules}</script>'
        f'<body><script type="module">{script}</script></body>', "utf-8"
    )  # fmt: skip
    fox.command("WebDriver:Navigate", url=path.as_uri())
    end = time.monotonic() + PATIENCE
    while not (found := fox.evaluate("return document.body?.dataset.found")):
        assert time.monotonic() < end, fox.complaints()
        time.sleep(0.05)
    return json.loads(found)


def test_500_points_are_decided_in_a_moment(opened):
    random = np.random.default_rng(19)
    X = random.standard_normal((500, 2))
    y = np.where(X[:, 0] + random.standard_normal(500) > 0, 1, -1)
    (page,) = opened().evaluate(DECIDE, [{"X": X.tolist(), "y": y.tolist()}])
    assert page["verdict"] == "overlapping"
    assert page["counted"] == page["fewest"]
