"""Screening against fits of each column by itself, by an oracle of a few lines."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import expit

from separatrix import InputError, screen
from separatrix.data import read_arrays
from separatrix.inference.intervals.profile import likelihood_intervals, likelihood_ratio
from separatrix.inference.screening import adjusted


def drawn(n=400, q=3, m=40, seed=1):
    rng = np.random.default_rng(seed)
    C = rng.normal(size=(n, q)) * [1.0, 10.0, 0.01][:q] + 5.0
    G = rng.binomial(2, rng.uniform(0.02, 0.5, m), (n, m)).astype(float)
    G[:, -1] = rng.normal(size=n) * 1e3
    eta = (C - 5.0) @ (rng.normal(size=q) / [1.0, 10.0, 0.01][:q]) + 0.3 * G[:, 0] - 0.5
    return G, np.where(rng.random(n) < expit(eta), "yes", "no"), C


def largest(X, y, weight):
    """The largest log-likelihood of standardised columns, by BFGS."""
    X = np.c_[np.ones(len(X)), (X - X.mean(axis=0)) / X.std(axis=0)]
    Z = X * np.where(y == "yes", 1.0, -1.0)[:, None]
    found = minimize(
        lambda b: weight @ np.logaddexp(0.0, -Z @ b),
        np.zeros(X.shape[1]),
        jac=lambda b: -Z.T @ (weight * expit(-Z @ b)),
        tol=1e-12,
        options={"gtol": 1e-7},
    )
    return -found.fun, found.x[-1] / np.nan


def test_chi2_of_every_column_is_twice_the_gain_in_likelihood():
    G, y, C = drawn()
    weight = np.random.default_rng(3).integers(1, 4, len(y)).astype(float)
    for w in (np.ones(len(y)), weight):
        found = screen(G, y, C, sample_weight=w)
        assert set(found.states) == {"fitted"}
        null, _ = largest(C, y, w)
        theirs = [2 * (largest(np.c_[C, g], y, w)[0] - null) for g in G.T]
        np.testing.assert_allclose(found.chi2, theirs, atol=1e-6)
    alone = screen(G, y, C)
    for k in (0, 7, 39):
        sample = read_arrays(np.c_[C, G[:, k]], y)
        assert alone.chi2[k] == pytest.approx(likelihood_ratio(sample, 1.0, [4]), rel=1e-7)
        mine = likelihood_intervals(sample, 1.0, columns=[4])
        assert alone.estimate[k] == pytest.approx(mine.estimates[4], rel=1e-6)


def test_the_score_statistic_is_that_of_the_formula():
    G, y, C = drawn(200, 2, 12)
    found = screen(G, y, C, likelihood_below=0.0)
    assert set(found.states) == {"score"}
    assert np.isnan(found.chi2).all()
    X = np.c_[np.ones(200), C]
    b = np.zeros(3)
    for _ in range(30):
        p = expit(X @ b)
        b += np.linalg.solve(X.T @ (X * (p * (1 - p))[:, None]), X.T @ ((y == "yes") - p))
    p = expit(X @ b)
    v = p * (1 - p)
    for k, g in enumerate(G.T):
        left = g - X @ np.linalg.solve(X.T @ (X * v[:, None]), X.T @ (v * g))
        score = (g @ ((y == "yes") - p)) ** 2 / (left @ (v * left))
        assert found.score_chi2[k] == pytest.approx(score, rel=1e-8)
        assert found.p[k] == found.score_p[k]
    some = screen(G, y, C, likelihood_below=0.5)
    assert (np.isnan(some.chi2) == (found.p > 0.5)).all()
    whole = screen(G, y, C)
    fitted = found.p <= 0.5
    assert (some.chi2[fitted] == whole.chi2[fitted]).all()


def test_columns_that_separate_are_infinite_with_an_interval_and_a_finite_chi2():
    G, y, C = drawn(300, 2, 8)
    yes = y == "yes"
    rng = np.random.default_rng(8)
    G[:, 1] = yes & (rng.random(300) < 0.05)
    G[:, 2] = -3.0 * G[:, 1]
    G[:, 3] = yes * 2.0 + rng.random(300)
    found = screen(G, y, C)
    assert found.states[1:4] == ("infinite",) * 3
    assert found.estimate[1:4].tolist() == [np.inf, -np.inf, np.inf]
    for k in (1, 2, 3):
        sample = read_arrays(np.c_[C, G[:, k]], y)
        ends = likelihood_intervals(sample, 1.0, columns=[3])
        assert found.chi2[k] == pytest.approx(ends.chi2[3], rel=1e-7)
        assert (found.lower[k], found.upper[k]) == (ends.lower[3], ends.upper[3])
    without = screen(G, y, C, most_intervals=0)
    assert without.states[1:4] == ("infinite",) * 3
    assert np.isnan(without.lower).all()
    assert (without.chi2 == found.chi2).all()


def test_a_column_that_separates_only_with_the_covariates_is_decided_exactly():
    rng = np.random.default_rng(5)
    C, g = rng.normal(size=(60, 1)), rng.normal(size=60)
    y = (C[:, 0] - g > 0).astype(int)
    found = screen(g[:, None], y, C)
    assert (found.states, found.estimate[0]) == (("infinite",), -np.inf)
    assert found.chi2[0] == pytest.approx(likelihood_ratio(read_arrays(np.c_[C, g], y), 1.0, [2]))
    assert screen(g[:, None], y, C, most_intervals=0).states == ("flat",)


def test_covariates_that_separate_leave_the_rows_that_they_do_not_settle():
    G, y, C = drawn(300, 2, 5)
    rare = (y == "yes") & (np.arange(300) % 7 == 0)
    found = screen(G, y, np.c_[C, rare])
    for k in range(5):
        sample = read_arrays(np.c_[C, rare, G[:, k]], y)
        assert found.chi2[k] == pytest.approx(likelihood_ratio(sample, 1.0, [4]), rel=1e-6)
    with pytest.raises(InputError, match="the covariates alone separate the labels"):
        screen(G, y, (y == "yes")[:, None])


def test_dependent_and_constant_columns_are_not_tested_and_do_not_count():
    G, y, C = drawn(100, 3, 6)
    G[:, 1], G[:, 2] = 7.0, 2.0 * C[:, 0] - C[:, 1]
    found = screen(G, y, C)
    assert found.states[1:3] == ("dependent", "dependent")
    assert np.isnan(found.p[1:3]).all()
    kept = [0, 3, 4, 5]
    assert found.bonferroni[kept].tolist() == np.minimum(1, 4 * found.p[kept]).tolist()


def test_adjusted_p_values():
    p = np.array([0.01, np.nan, 0.04, 0.03, 0.5])
    bonferroni, hochberg = adjusted(p)
    np.testing.assert_allclose(bonferroni, [0.04, np.nan, 0.16, 0.12, 1.0])
    np.testing.assert_allclose(hochberg, [0.04, np.nan, 0.16 / 3, 0.16 / 3, 0.5])


def test_whatever_holds_the_numbers():
    G, y, C = drawn(120, 2, 9)
    G = np.round(G)
    found = screen(G, y, C)
    names = [f"rs{k}" for k in range(9)]
    frame = screen(pd.DataFrame(G, columns=names), y, pd.DataFrame(C))
    sparse = screen(sp.csr_array(G), y, C, names=names)
    small = screen(G.astype(np.float32), y, C)
    assert frame.names == sparse.names == tuple(names)
    assert found.names[0] == "x1"
    for other in (frame, sparse, small):
        assert other.chi2.tobytes() == found.chi2.tobytes()
    G[3, 4] = np.inf
    with pytest.raises(InputError, match=r"column 'x5' holds inf in row 3"):
        screen(G, y, C)


def test_tables_of_it():
    G, y, C = drawn(150, 2, 5)
    G[:, 1], G[:, 2] = 1.0, (y == "yes") & (np.arange(150) % 9 == 0)
    found = screen(G, y, C)
    frame = found.to_frame()
    assert frame.loc["x1", "p"] == found.p[0]
    lines = found.to_csv().splitlines()
    assert len(lines) == 6
    assert lines[0].startswith("name,chi2,p,bonferroni,benjamini_hochberg,estimate")
    assert float(lines[1].split(",")[1]) == found.chi2[0]
    text = found.to_text()
    assert "4 of 5 columns tested one at a time beside 3 coefficients, 150 rows" in text
    assert "95 % interval (" in text
    assert "1 column: depends on the covariates" in text
    assert [found.names[k] for k in found.order][-1] == "x2"


BYTES = """
import hashlib, numpy as np
from separatrix import screen
rng = np.random.default_rng(0)
G, C, y = rng.normal(size=(3000, 900)), rng.normal(size=(3000, 4)), rng.integers(0, 2, 3000)
done = []
found = screen(G, y, C, progress=lambda a, b: done.append((a, b)))
assert done[-1] == (900, 900) and len(done) > 2
print(hashlib.sha256(found.to_csv().encode()).hexdigest())
"""


def test_the_same_bytes_for_any_number_of_threads():
    hashes = {
        subprocess.run(
            [sys.executable, "-c", BYTES],
            env={**os.environ, "OMP_NUM_THREADS": str(threads)},
            capture_output=True,
            check=True,
        ).stdout
        for threads in (1, 3)
    }
    assert len(hashes) == 1


def test_the_command(tmp_path):
    G, y, C = drawn(200, 2, 3)
    table = pd.DataFrame(np.c_[C, G], columns=["age", "dose", "a", "b", "c"])
    table["group"] = np.where(np.arange(200) % 3 == 0, "u", "v")
    table["ill"] = y
    table.to_csv(tmp_path / "t.csv", index=False)
    command = [sys.executable, "-m", "separatrix", "screen", "t.csv", "--label", "ill"]
    more = ["--covariate", "age", "--covariate", "dose", "--csv", "all.csv"]
    done = subprocess.run(
        [*command, *more], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "4 of 4 columns tested" in done.stdout
    written = pd.read_csv(tmp_path / "all.csv")
    found = screen(G, y, C)
    np.testing.assert_allclose(written["p"][:3], found.p, rtol=1e-9)
    wrong = subprocess.run(
        [*command, "--covariate", "agee"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert wrong.returncode != 0
    assert "t.csv has no column 'agee' (--covariate)" in wrong.stderr


@pytest.mark.parametrize(
    "options", [{"level": 95}, {"level": "0.95"}, {"likelihood_below": "1"}, {"level": True}]
)
def test_a_level_that_cannot_be_used_is_named(options):
    with pytest.raises(InputError, match=next(iter(options))):
        screen([[0], [1], [2], [1]], [0, 1, 0, 1], **options)
