"""The verdict: counts that are recounts, warnings that are true, models in its units."""

import copy
import warnings
from concurrent.futures import ThreadPoolExecutor

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

import separatrix as sx
from tests.hostile.profile import examples
from tests.verdict.tables import noisy, write

NAMES = ["always yes", "always no", "PLA", "pocket", "linear regression", "logistic regression"]


def test_every_learner_takes_part_and_every_count_is_a_recount():
    X, y = noisy()
    verdict = sx.judge(X, y)
    assert [r.name for r in verdict.results] == NAMES
    signs = np.where(y == "yes", 1, -1)
    for r in verdict.results:
        wrong = (signs * (X @ r.weights[1:] + r.weights[0]) <= 0).sum()
        assert r.n_errors == wrong
        assert r.e_in == pytest.approx(wrong / len(y))
        assert r.n_wrong_yes == ((y == "no") & (X @ r.weights[1:] + r.weights[0] > 0)).sum()
        assert r.n_wrong_no == ((y == "yes") & (X @ r.weights[1:] + r.weights[0] <= 0)).sum()
        assert len(r.fold_errors) == verdict.n_folds == 5
        assert r.cv_error == pytest.approx(np.mean(r.fold_errors))
    always_yes, always_no = verdict.results[:2]
    assert always_yes.n_errors + always_no.n_errors == len(y)
    assert verdict.separability.verify(X, y)


@examples(15)
@given(seed=st.integers(0, 10**6), n=st.integers(4, 40))
def test_the_word_separable_comes_from_the_proof(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 2)).astype(float)
    y = rng.integers(0, 2, n)
    if len(set(y)) < 2:
        return
    verdict = sx.judge(X, y)
    assert verdict.separability.verdict == sx.separability(X, y).verdict
    separable = verdict.separability.separable
    assert (verdict.pla_bound is not None) == separable
    assert (len(verdict.witness_lines) > 0) == (not separable)
    pla = verdict.result("PLA")
    if separable:
        assert pla.n_errors == 0
        assert pla.n_updates <= verdict.pla_bound
    else:
        assert "budget" in pla.stopped
        assert all(r.n_errors > 0 for r in verdict.results)


def test_the_least_error_and_its_optimism_are_stated():
    X, y = noisy(3)
    verdict = sx.judge(X, y)
    least = verdict.selection.least
    assert least.cv_error == min(r.cv_error for r in verdict.results)
    errors = np.array([r.fold_errors for r in verdict.results])
    assert verdict.optimism == pytest.approx((least.fold_errors - errors.min(axis=0)).mean())
    assert verdict.optimism >= 0


def test_rows_of_weight_zero_take_no_part():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [9.0]])
    y = ["no", "no", "yes", "yes", "no"]
    verdict = sx.judge(X, y, sample_weight=[1, 1, 1, 2, 0])
    assert verdict.separability.verdict == "separable"
    assert verdict.table.y.size == 4
    assert any("weight 0" in note for note in verdict.notes)
    with pytest.raises(sx.InputError, match="every row of class 'yes'"):
        sx.judge(X, y, sample_weight=[1, 1, 0, 0, 1])


def test_weights_weigh_errors():
    X, y = noisy(5)
    k = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = sx.judge(X, y, sample_weight=k)
    for r in weighted.results:
        wrong = np.where(y == "yes", 1, -1) * (X @ r.weights[1:] + r.weights[0]) <= 0
        assert r.e_in == pytest.approx(np.average(wrong, weights=k))
    copies = sx.judge(np.repeat(X, k, axis=0), np.repeat(y, k))
    a, b = (v.result("linear regression").weights for v in (weighted, copies))
    assert a == pytest.approx(b, rel=1e-9)


def test_weights_are_in_the_units_of_the_table():
    X, y = noisy(6)
    verdict, thousand = sx.judge(X, y), sx.judge(X * [1000.0, 1, 1], y)
    for a, b in zip(verdict.results, thousand.results, strict=True):
        assert b.weights * [1, 1000.0, 1, 1] == pytest.approx(a.weights, rel=1e-6, abs=1e-12)


def warned(columns, y):
    names = list(columns)
    X = np.column_stack([columns[n] for n in names]).astype(float)
    return " | ".join(sx.judge(X, y, feature_names=names).warnings)


def test_columns_to_beware_of():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=40), rng.normal(size=40)
    y = (a + rng.normal(size=40) > 0).astype(int)
    assert "constant" in warned({"a": a, "same": np.full(40, 3.0)}, y)
    assert "'copy' = 'a'" in warned({"a": a, "copy": a}, y)
    found = warned({"a": a, "b": b, "sum": a + b}, y)
    assert "collinear" not in found or "'sum'" in found  # a + b is rounded: rank is exact
    assert "'double'" in warned({"a": a, "b": b, "double": 2 * a}, y)
    assert "column 'leak' alone separates" in warned({"a": a, "leak": y * 2.0 - 5}, y)
    assert "alone" not in warned({"a": a, "b": b}, y)
    few = warned({f"c{j}": rng.normal(size=4) for j in range(5)}, [0, 1, 0, 1])
    assert "whatever their labels" in few
    assert "no finite optimum" in few


def test_a_warning_knows_its_columns_and_survives_a_copy():
    X, y = noisy()
    (warning,) = sx.judge(np.column_stack([X, X[:, 0]]), y, feature_names=list("abcd")).warnings[:1]
    for found in (warning, copy.deepcopy(warning)):
        assert found == "duplicate columns: 'd' = 'a'"
        assert (found.kind, found.names) == ("duplicate", ("d = a",))


def test_a_pure_category_alone_decides(tmp_path):
    rows = [[i % 5, f"id{i}", "abcd"[i % 4], "ny"[i % 2]] for i in range(12)]
    path = write(tmp_path / "t.csv", ["a", "id", "c", "y"], rows)
    warnings = sx.judge(sx.read_table(path, label="y")).warnings
    assert sx.judge(sx.open_table(path, label="y")).warnings == warnings
    assert any("column 'c' alone separates" in w for w in warnings)
    assert any("column 'id' has another value in every row" in w for w in warnings)
    assert not any("'id=" in w or "'c=" in w for w in warnings if "separates" in w)


def test_judge_refuses_what_it_cannot_use(tmp_path):
    with pytest.raises(sx.InputError, match="labels y"):
        sx.judge([[1.0], [2.0]])
    table = sx.read_table(
        write(tmp_path / "t.csv", ["c", "y"], [["k", "n"], ["k", "y"]]), label="y"
    )
    with pytest.raises(sx.InputError, match="no column is left"):
        sx.judge(table)
    with pytest.raises(sx.InputError, match="feature_names"):
        sx.judge([[1.0], [2.0]], [0, 1], feature_names=["a", "b"])


def test_progress_is_told_in_order():
    told = []
    X, y = noisy(8)
    sx.judge(X, y, progress=told.append)
    size = f"{X.shape[0]} rows, {X.shape[1]} features"
    assert told[0] == f"{size}: is it separable?"
    facts = f"{size}, not separable: "
    fewest = [sentence for sentence in told if "fewest mistakes" in sentence]  # beside the folds
    told = [s.removeprefix(facts) for s in told[1:] if s not in fewest and s.startswith(facts)]
    assert told == ["preparing kernels", *NAMES, *(f"fold {k} of 5" for k in range(1, 6))]
    assert fewest[-1] == "checking the fewest mistakes"


def test_threads_that_judge_at_once_leave_warnings_and_blas_as_they_were():
    def shared():
        blas = threadpool_info()
        return sorted((b["filepath"], b["num_threads"]) for b in blas), list(warnings.filters)

    X, y = noisy()
    with threadpool_limits(2, "blas"):
        before = shared()
        with ThreadPoolExecutor(3) as pool:
            errors = list(pool.map(lambda _: sx.judge(X, y).winner.n_errors, range(6)))
        assert shared() == before
    assert len(set(errors)) == 1


def test_yes_is_the_label_that_is_asked_about():
    X, y = noisy()
    usual, turned = sx.judge(X, y, fewest_nodes=9), sx.judge(X, y, yes="no", fewest_nodes=9)
    assert (turned.table.no, turned.table.yes, list(turned.classes)) == ("yes", "no", ["yes", "no"])
    assert turned.n_yes == len(y) - usual.n_yes
    of_logistic = [v.result("logistic regression").learner for v in (usual, turned)]
    np.testing.assert_allclose(of_logistic[0].coef_, -of_logistic[1].coef_, rtol=1e-6)
    assert list(turned.model.predict(X)) == list(usual.model.predict(X))
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "paid": y})
    assert sx.judge(frame, label="paid", yes="no", fewest_nodes=9).table.yes == "no"
    assert sx.judge(frame[["a", "b"]], y, yes="no", fewest_nodes=9).table.no == "yes"
    assert sx.judge(
        frame.assign(paid=y == "yes"), label="paid", yes=False, fewest_nodes=9
    ).table.yes
    assert sx.judge(frame.assign(paid=1 * (y == "yes")), label="paid", yes=0, fewest_nodes=9).n_yes


def test_a_yes_that_cannot_be_asked_about_is_refused(tmp_path):
    X, y = noisy()
    with pytest.raises(sx.InputError, match=r"yes='default' is not among the labels 'no', 'yes'"):
        sx.judge(X, y, yes="default")
    write(tmp_path / "t.csv", ["a", "b", "c", "label"], np.column_stack((X, y)))
    table = sx.read_table(tmp_path / "t.csv", "label")
    with pytest.raises(sx.InputError, match=r"read_table\(\.\.\., yes='no'\)"):
        sx.judge(table, yes="no")
    with pytest.raises(sx.InputError, match="yes makes one question"):
        sx.judge(X, np.arange(len(X)) % 3, yes=1, multiclass="ova")


@pytest.mark.parametrize("d", [1, 2, 3])
def test_plot_draws_the_winner_and_returns_the_axes(d):
    X, y = noisy()
    X = np.column_stack((X, X[:, 0] ** 2))[:, :d]
    verdict = sx.judge(X, y, yes="no", feature_names=["age", "pay", "more"][:d], fewest_nodes=9)
    _, ax = plt.subplots()
    assert verdict.plot(ax) is ax
    assert verdict.plot() is not ax
    said = [text.get_text() for text in ax.get_legend().get_texts()]
    assert any(text.startswith("yes: no") for text in said), said
    if d == 2:
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "pay")
    else:
        mistakes = f"mistakes: {verdict.winner.n_errors} of {len(y)}"
        assert mistakes in said, said
    plt.close("all")


@pytest.mark.parametrize("learners", ["logistic,linear", ("linear",), ["pocket", "PLA"]])
def test_only_the_learners_named_take_part(learners, tmp_path):
    X, y = noisy()
    everything, some = (
        sx.judge(X, y, fewest_nodes=9),
        sx.judge(X, y, learners=learners, fewest_nodes=9),
    )
    wanted = str(learners).lower()
    assert [r.name for r in some.results] == NAMES[:2] + [
        name for name in NAMES[2:] if name.partition(" ")[0].lower() in wanted
    ]
    for r in some.results:
        whole = everything.result(r.name)
        assert r.weights.tobytes() == whole.weights.tobytes()
        assert r.fold_errors == whole.fold_errors
    assert some.winner in some.results
    for said in (sx.to_text(some), sx.to_html(some), sx.to_json(some)):
        for name in NAMES[2:]:
            if some.result(name) is None and name != "logistic regression":
                assert f">{name}<" not in said
                assert f'"name": "{name}"' not in said
    assert [f.key for f in some.warnings] == [f.key for f in everything.warnings]
    assert (some.probabilities is None) == ("logistic" not in wanted)
    assert (some.coefficients is None) == ("logistic" not in wanted)


def test_separable_rows_without_pla():
    X = np.arange(8.0).reshape(4, 2)
    some = sx.judge(X, [0, 0, 1, 1], learners="linear")
    assert some.pla_bound is None
    assert "PLA saw" not in sx.to_text(some)
    assert "T =" not in str(some)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"learners": ["logistic", "forest"]}, "learners='forest' is not known; choose logistic, "),
        (
            {"learners": []},
            "names no learner; choose at least one of logistic, linear, pocket, pla",
        ),
        ({"learners": ["linear"], "learner": "pla"}, "learner='PLA' takes no part"),
    ],
)
def test_learners_that_cannot_take_part_are_refused(words, said):
    X, y = noisy()
    with pytest.raises(sx.InputError, match=said):
        sx.judge(X, y, **words)
