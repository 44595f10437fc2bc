"""scikit-learn's own checks on every learner, each expected failure with its reason."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix import (
    AveragedPerceptron,
    CoordinateDescent01,
    DualPerceptron,
    FirthLogisticRegression,
    GradientDescent,
    LinearRegression,
    LinearRegressionClassifier,
    LogisticRegression,
    MarginPerceptron,
    MinimumErrorClassifier,
    PassiveAggressive,
    Perceptron,
    Pocket,
    RatchetPocket,
    VotedPerceptron,
)

POCKET_WEIGHTS = (
    "a weight of k counts k mistakes, but the walk visits rows: k copies are visited k times"
)
ROWS_IN_TURN = (
    "k copies of a row are k visits one after the other; weights other than 1 are refused"
)
WEIGHING = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
    "check_sample_weights_list",
    "check_sample_weights_not_overwritten",
)


def expected_failures(estimator):
    if isinstance(estimator, Pocket | RatchetPocket) and estimator.visit == "random":
        return {
            "check_sample_weight_equivalence_on_dense_data": POCKET_WEIGHTS,
            "check_sample_weight_equivalence_on_sparse_data": POCKET_WEIGHTS,
        }
    if isinstance(estimator, GradientDescent) and estimator.batch_size is not None:
        return dict.fromkeys(WEIGHING, ROWS_IN_TURN)
    if isinstance(estimator, LogisticRegression) and not estimator.fit_intercept:
        return {
            "check_class_weight_classifiers": "a line through the origin halves any cloud there"
        }
    return {}


@pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")
@parametrize_with_checks(
    [
        Perceptron(max_iter=50),
        Perceptron(visit="random", max_iter=50),
        Perceptron(init="regression", sign_of_zero=-1, learning_rate=0.5, max_iter=50),
        Pocket(max_updates=100),
        Pocket(visit="cyclic", init="regression", max_updates=100),
        RatchetPocket(max_updates=100),
        CoordinateDescent01(max_updates=50),
        CoordinateDescent01(direction="coordinate", fit_intercept=False, max_updates=50),
        AveragedPerceptron(),
        VotedPerceptron(),
        MarginPerceptron(max_iter=50),
        MinimumErrorClassifier(time_limit=None, max_nodes=2000),
        PassiveAggressive(),
        DualPerceptron(max_iter=50),
        DualPerceptron(kernel="rbf", memory_limit=0, max_iter=50),
        FirthLogisticRegression(),
        FirthLogisticRegression(variant="flac", fit_intercept=False),
        *(GradientDescent(error=error) for error in ("cross_entropy", "squared", "perceptron")),
        GradientDescent(batch_size=1, shuffle=True, max_updates=2000),
        GradientDescent(batch_size=10, step="unit", init="regression", fit_intercept=False),
        LinearRegression(),
        LinearRegressionClassifier(),
        LogisticRegression(),
        LogisticRegression(C=1.0),
        LogisticRegression(class_weight="balanced"),
        LogisticRegression(fit_intercept=False),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
