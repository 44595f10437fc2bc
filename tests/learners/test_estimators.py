"""scikit-learn's own checks on every learner, each expected failure with its reason."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix as sx

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
    if isinstance(estimator, sx.Pocket | sx.RatchetPocket) and estimator.visit == "random":
        return {
            "check_sample_weight_equivalence_on_dense_data": POCKET_WEIGHTS,
            "check_sample_weight_equivalence_on_sparse_data": POCKET_WEIGHTS,
        }
    if isinstance(estimator, sx.GradientDescent) and estimator.batch_size is not None:
        return dict.fromkeys(WEIGHING, ROWS_IN_TURN)
    if isinstance(estimator, sx.LogisticRegression) and not estimator.fit_intercept:
        return {
            "check_class_weight_classifiers": "a line through the origin halves any cloud there"
        }
    return {}


@pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")
@parametrize_with_checks(
    [
        sx.Perceptron(max_iter=50),
        sx.Perceptron(init="regression", sign_of_zero=-1, learning_rate=0.5, max_iter=50),
        sx.Pocket(max_updates=100),
        sx.Pocket(visit="cyclic", init="regression", max_updates=100),
        sx.RatchetPocket(max_updates=100),
        sx.CoordinateDescent01(direction="coordinate", fit_intercept=False, max_updates=50),
        sx.AveragedPerceptron(),
        sx.VotedPerceptron(),
        sx.MarginPerceptron(max_iter=50),
        sx.MinimumErrorClassifier(time_limit=None, max_nodes=2000),
        sx.PassiveAggressive(),
        sx.DualPerceptron(kernel="rbf", memory_limit=0, max_iter=50),
        sx.FirthLogisticRegression(variant="flac", fit_intercept=False),
        sx.GradientDescent(error="squared"),
        sx.GradientDescent(batch_size=1, shuffle=True, max_updates=500),
        sx.GradientDescent(batch_size=10, step="unit", init="regression", fit_intercept=False),
        sx.LinearRegression(),
        sx.LinearRegressionClassifier(),
        sx.LogisticRegression(C=1.0),
        sx.LogisticRegression(class_weight="balanced"),
        sx.LogisticRegression(fit_intercept=False),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
