"""The selected learner: one standard error, probabilities, simplicity, or the user's choice."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from separatrix import InputError, judge
from separatrix.verdict.selection import Selection, no_clear_difference
from tests.verdict.tables import noisy

LOGISTIC, LINEAR, POCKET = "logistic regression", "linear regression", "pocket"


@dataclass(frozen=True)
class Result:
    name: str
    fold_errors: tuple[float, ...]
    probabilities: bool = False
    constant: bool = False
    n_errors: int = 1
    e_in: float = 0.1

    @property
    def cv_error(self):
        return float(np.mean(self.fold_errors)) if self.fold_errors else None

    @property
    def cv_spread(self):
        return float(np.std(self.fold_errors, ddof=1)) if self.fold_errors else None


def around(mean, spread=0.02):
    """Five fold errors of this mean and standard deviation."""
    steps = np.array([-1.0, -1.0, 0.0, 1.0, 1.0])
    return tuple((mean + spread * steps).tolist())


ALWAYS = Result("always no", around(0.4, 0.0), constant=True)


def chosen(*results, learner=None):
    return Selection.of(results, learner).chosen.name


def test_one_standard_error_is_that_of_the_least_over_its_folds():
    least = Result(POCKET, around(0.10, 0.02))
    reach = 0.02 / math.sqrt(5)
    near = Result(LOGISTIC, around(0.10 + 0.99 * reach, 0.3), probabilities=True)
    far = Result(LOGISTIC, around(0.10 + 1.01 * reach, 0.3), probabilities=True)
    assert chosen(ALWAYS, least, near) == LOGISTIC
    assert chosen(ALWAYS, least, far) == POCKET
    assert Selection.of((ALWAYS, least, near)).within == (least, near)


def test_probabilities_come_before_simplicity_and_need_an_optimum():
    linear, pocket = Result(LINEAR, around(0.105)), Result(POCKET, around(0.10))
    assert chosen(pocket, linear, Result(LOGISTIC, around(0.105), probabilities=True)) == LOGISTIC
    assert chosen(pocket, linear, Result(LOGISTIC, around(0.098))) == LINEAR
    assert chosen(pocket, Result(LOGISTIC, around(0.098))) == POCKET


def test_pla_is_simpler_than_pocket_where_it_halted():
    pocket = Result(POCKET, around(0.10))
    assert chosen(Result("PLA", around(0.10), n_errors=0), pocket) == "PLA"
    assert chosen(Result("PLA", around(0.10), n_errors=3), pocket) == POCKET


def test_the_same_answer_for_every_row_is_selected_where_its_error_is_least_only():
    line = Result(LOGISTIC, around(0.41), probabilities=True)
    assert chosen(ALWAYS, line) == "always no"
    noisy_line = Result(LINEAR, around(0.39, 0.2))
    assert chosen(ALWAYS, noisy_line) == LINEAR
    assert ALWAYS in Selection.of((ALWAYS, noisy_line)).within


def test_a_rare_answer_that_is_ranked_takes_the_best_model_with_probabilities():
    line, penalised = (
        Result(name, around(error), probabilities=True)
        for name, error in ((LOGISTIC, 0.42), (f"{LOGISTIC} (penalty C=1)", 0.41))
    )
    found = Selection.of((ALWAYS, line, penalised), ranks=True)
    assert (found.chosen, found.why) == (penalised, "ranks")
    assert Selection.of((ALWAYS, line, penalised), "logistic regression").chosen is line
    lower = Result(LINEAR, around(0.3, 0.001))
    assert Selection.of((ALWAYS, line, lower), ranks=True).chosen is lower


def test_a_penalty_is_taken_without_a_clear_difference_where_no_optimum_exists():
    least, without = Result(LINEAR, around(0.10, 0.001)), Result(LOGISTIC, around(0.10))
    near = Result(f"{LOGISTIC} (penalty C=1)", around(0.11), probabilities=True)
    found = Selection.of((ALWAYS, least, without, near))
    assert near not in found.within
    assert (found.chosen, found.why) == (near, "no_clear")
    far = Result(f"{LOGISTIC} (penalty C=1)", around(0.2), probabilities=True)
    assert Selection.of((ALWAYS, least, without, far)).chosen is least
    assert Selection.of((ALWAYS, least, near)).chosen is least


def test_without_folds_the_fewest_mistakes_on_the_rows_decide():
    few, many = Result(POCKET, (), e_in=0.1), Result(LOGISTIC, (), True, e_in=0.2)
    assert chosen(many, few) == POCKET
    assert "no cross-validation" in Selection.of((many, few)).reason


def test_the_reason_is_true():
    pocket, linear = Result(POCKET, around(0.10)), Result(LINEAR, around(0.105))
    logistic = Result(LOGISTIC, around(0.105), probabilities=True)
    assert Selection.of((pocket,)).reason == "lowest cross-validated error"
    assert Selection.of((pocket, linear)).reason.endswith("and simpler")
    assert Selection.of((pocket, linear, logistic)).reason.endswith("and gives probabilities")
    assert Selection.of((pocket, linear), POCKET).reason == "chosen by hand"


def test_a_difference_is_clear_when_the_folds_agree_on_it():
    one = Result(POCKET, around(0.10, 0.02))
    shifted = Result(LINEAR, tuple(e + 0.03 for e in one.fold_errors))  # 3 points in every fold
    assert no_clear_difference(one, (ALWAYS, one, shifted)) == []
    other = Result(LOGISTIC, tuple(reversed(around(0.11, 0.02))))
    assert no_clear_difference(one, (ALWAYS, one, shifted, other)) == [other]
    assert no_clear_difference(Result(POCKET, ()), (other,)) == []


@pytest.mark.parametrize("rule", [None, "ova", "ovo"])
def test_a_learner_chosen_by_hand_is_the_model(rule):
    X, y = noisy(3)
    if rule is not None:
        y = np.repeat(["a", "b", "c"], [len(y) - 40, 20, 20])
    for short, name in (("pla", "PLA"), ("LOGISTIC", LOGISTIC), ("linear regression", LINEAR)):
        verdict = judge(X, y, learner=short, multiclass=rule, fewest_nodes=1)
        assert verdict.winner.name == name
        assert verdict.selection.by_hand
        assert (verdict.model.predict(X) != y).sum() == verdict.winner.n_errors
    with pytest.raises(InputError, match="choose logistic, linear, pocket, pla"):
        judge(X, y, learner="svm", multiclass=rule)


def test_probabilities_are_those_of_an_optimum():
    X, y = noisy(3)
    assert judge(X, y).result(LOGISTIC).probabilities
    apart = judge([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    assert not any(r.probabilities for r in apart.results)
