"""Logistic regression with a penalty: asked for, or where two levels are rare."""

import numpy as np
import pytest

from separatrix import FirthLogisticRegression, InputError, LogisticRegression, judge, read_table
from separatrix.verdict.candidates import penalised, penalty_of
from separatrix.verdict.columns import standardisation

pytestmark = pytest.mark.filterwarnings("ignore:X does not have valid feature names")

WITHOUT, C1 = "logistic regression", "logistic regression (penalty C=1)"


@pytest.fixture
def rare_levels(tmp_path):
    """Two levels of a column have one row or two, of one label: coefficients are infinite."""
    random = np.random.default_rng(5)
    size = random.normal(40.0, 1000.0, 120)
    yes = size + random.normal(0.0, 1200.0, 120) > 40.0
    town = np.where(np.arange(120) % 2, "A", "B")
    town[:3], yes[:3] = ["C", "C", "D"], [True, True, False]
    rows = zip(size.tolist(), town, np.where(yes, "yes", "no"), strict=True)
    text = "size,town,paid\n" + "".join(f"{a!r},{b},{c}\n" for a, b, c in rows)
    (tmp_path / "t.csv").write_text(text)
    return tmp_path / "t.csv"


def test_two_rare_levels_leave_a_model_with_probabilities(rare_levels):
    verdict = judge(read_table(rare_levels, label="paid"))
    assert verdict.separability.verdict == "touching"
    assert not verdict.result(WITHOUT).probabilities
    assert verdict.winner.name == C1
    assert verdict.winner.fold_errors
    assert verdict.probabilities.held_out
    assert verdict.probabilities.auc > 0.5
    assert isinstance(verdict.model, LogisticRegression)
    assert verdict.model.predict_proba(verdict.question.points).shape == (120, 2)


def test_no_penalty_joins_where_the_optimum_exists_or_a_line_separates():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]] * 5), [0, 1, 0, 1] * 5
    for labels in (y, (X[:, 0] > 1.5).astype(int)):
        names = [r.name for r in judge(X, labels).results]
        assert [name for name in names if name.startswith(WITHOUT)] == [WITHOUT]


def test_the_penalty_asked_for_takes_the_place_of_none_and_is_selected(rare_levels):
    table = read_table(rare_levels, label="paid")
    verdict = judge(table, penalty=0.5)
    logistic = [r for r in verdict.results if r.name.startswith(WITHOUT)]
    assert [r.name for r in logistic] == ["logistic regression (penalty C=0.5)"]
    assert verdict.winner is logistic[0]
    assert verdict.selection.why == "by_hand"
    assert len(logistic[0].fold_errors) == verdict.n_folds == 5
    assert judge(table, penalty=0.5, learner="linear").winner.name == "linear regression"
    assert "logistic regression (penalty C=0.5) saw columns standardised" in verdict.scaling


def test_the_penalty_is_of_standardised_columns_and_so_knows_no_units(rare_levels):
    table = read_table(rare_levels, label="paid")
    verdict = judge(table, penalty=2.0)
    X, y = verdict.question.points, table.y
    scaling = standardisation(X, None)
    by_hand = LogisticRegression(C=2.0).fit(scaling.apply(X), y)
    want = by_hand.predict_proba(scaling.apply(X))[:, 1]
    assert verdict.model.predict_proba(X)[:, 1] == pytest.approx(want, rel=1e-9)
    larger = judge(X * [1000.0, 1.0, 1.0, 1.0], y, penalty=2.0)
    assert larger.winner.fold_errors == verdict.winner.fold_errors


def test_firths_penalty_keeps_the_mean_probability_at_the_share_of_yes(rare_levels):
    verdict = judge(read_table(rare_levels, label="paid"), penalty="firth")
    assert verdict.winner.name == "logistic regression (penalty Firth)"
    assert isinstance(verdict.model, FirthLogisticRegression)
    mean = verdict.model.predict_proba(verdict.question.points)[:, 1].mean()
    assert mean == pytest.approx(verdict.n_yes / 120, abs=1e-6)


@pytest.mark.parametrize("wrong", [0, -1, "inf", "nan", "ridge", [1.0]])
def test_other_penalties_are_refused_by_name(wrong):
    with pytest.raises(InputError, match="is neither a positive number"):
        judge([[0.0], [1.0]], [0, 1], penalty=wrong)


def test_penalties_may_be_typed():
    assert penalty_of(None) is None
    assert penalty_of("1e-3") == 1e-3
    assert penalised(penalty_of(" Firth ")).name == "logistic regression (penalty Firth)"
