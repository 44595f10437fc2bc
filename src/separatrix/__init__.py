"""Linear classifiers, with exact checks for separability.

Names are imported when first used, so that `separatrix --help` does not wait for compilers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from separatrix._loading import load as _load
from separatrix._types import Untyped
from separatrix._version import __version__

if TYPE_CHECKING:
    from separatrix.certificates import (
        LeastSquaresGap,
        LogisticGap,
        Multipliers,
        Recount,
        Separation,
        mistake_bound,
    )
    from separatrix.course.datasets import (
        load_demo,
        make_credit,
        make_graduation,
        make_noisy,
        make_separable,
    )
    from separatrix.course.experiments import Experiment, experiment
    from separatrix.data import (
        InputError,
        NoFiniteOptimumWarning,
        SeparatrixWarning,
    )
    from separatrix.errors import CrossEntropy, PerceptronError, Squared, ZeroOne, error_table
    from separatrix.exporting import to_onnx, to_sql
    from separatrix.exporting.scorecard import Scorecard, scorecard
    from separatrix.geometry import angle, distance
    from separatrix.inference.coefficient_table import coefficient_table
    from separatrix.inference.priors import prior_rows
    from separatrix.inference.probabilities import ProbabilityFigures, probability_figures
    from separatrix.inference.table import CoefficientTable
    from separatrix.learners._linear import NotConvergedWarning
    from separatrix.learners._stopping import Stopped
    from separatrix.learners.coordinate_descent_01 import CoordinateDescent01
    from separatrix.learners.dual_perceptron import DualPerceptron
    from separatrix.learners.firth_logistic_regression import FirthLogisticRegression
    from separatrix.learners.gradient_descent import GradientDescent
    from separatrix.learners.least_squares.pseudo_inverse import hat_matrix, pseudo_inverse
    from separatrix.learners.linear_regression import LinearRegression, LinearRegressionClassifier
    from separatrix.learners.logistic_regression import LogisticRegression
    from separatrix.learners.margin_perceptron import MarginPerceptron
    from separatrix.learners.minimum_error_classifier import MinimumErrorClassifier
    from separatrix.learners.passive_aggressive import PassiveAggressive
    from separatrix.learners.perceptron import Perceptron
    from separatrix.learners.pocket import Pocket, RatchetPocket
    from separatrix.learners.voting import AveragedPerceptron, VotedPerceptron
    from separatrix.model import load, save
    from separatrix.predicting.answers import predict_frame
    from separatrix.report.animation import animate
    from separatrix.report.as_json import to_json
    from separatrix.report.displays import (
        CalibrationDisplay,
        ErrorMeasuresDisplay,
        ErrorTraceDisplay,
        ExperimentDisplay,
        PlaneDisplay,
        ProjectionDisplay,
        ResidualsDisplay,
        ScoresDisplay,
        SigmoidDisplay,
    )
    from separatrix.report.page import to_html
    from separatrix.report.sections import to_text
    from separatrix.scale.rows import Rows
    from separatrix.scale.tables_of_files import open_table
    from separatrix.separation.decide import Separability, separability
    from separatrix.streaming import Stream, StreamVerdict, watch
    from separatrix.tables import read_classes, read_frame, read_table
    from separatrix.theory import learning_curve, vc_bound
    from separatrix.trace import Trace
    from separatrix.verdict import MulticlassVerdict, Verdict, judge
    from separatrix.version_space import agree
    from separatrix.zero_one.minimum_errors import ErrorBracket, minimum_errors

_HOME = {
    "separatrix.certificates": [
        "LeastSquaresGap",
        "LogisticGap",
        "Multipliers",
        "Recount",
        "Separation",
        "mistake_bound",
    ],
    "separatrix.certificates.fewest_mistakes": ["FewestMistakes"],
    "separatrix.scale.rows": ["Rows"],
    "separatrix.scale.tables_of_files": ["open_table"],
    "separatrix.separation.decide": ["Separability", "separability"],
    "separatrix.version_space": ["agree"],
    "separatrix.zero_one.minimum_errors": ["ErrorBracket", "minimum_errors"],
    "separatrix.data": [
        "InputError",
        "NoFiniteOptimumWarning",
        "SeparatrixWarning",
    ],
    "separatrix.errors": ["CrossEntropy", "PerceptronError", "Squared", "ZeroOne", "error_table"],
    "separatrix.course.experiments": ["Experiment", "experiment"],
    "separatrix.exporting": ["Scorecard", "scorecard", "to_onnx", "to_sql"],
    "separatrix.geometry": ["angle", "distance"],
    "separatrix.inference.coefficient_table": ["coefficient_table"],
    "separatrix.inference.table": ["CoefficientTable"],
    "separatrix.inference.probabilities": ["ProbabilityFigures", "probability_figures"],
    "separatrix.inference.priors": ["prior_rows"],
    "separatrix.learners._linear": ["NotConvergedWarning"],
    "separatrix.learners._stopping": ["Stopped"],
    "separatrix.learners.voting": ["AveragedPerceptron", "VotedPerceptron"],
    "separatrix.learners.coordinate_descent_01": ["CoordinateDescent01"],
    "separatrix.learners.dual_perceptron": ["DualPerceptron"],
    "separatrix.learners.firth_logistic_regression": ["FirthLogisticRegression"],
    "separatrix.learners.gradient_descent": ["GradientDescent"],
    "separatrix.learners.linear_regression": ["LinearRegression", "LinearRegressionClassifier"],
    "separatrix.learners.logistic_regression": ["LogisticRegression"],
    "separatrix.learners.margin_perceptron": ["MarginPerceptron"],
    "separatrix.learners.minimum_error_classifier": ["MinimumErrorClassifier"],
    "separatrix.learners.passive_aggressive": ["PassiveAggressive"],
    "separatrix.learners.perceptron": ["Perceptron"],
    "separatrix.learners.least_squares.pseudo_inverse": ["hat_matrix", "pseudo_inverse"],
    "separatrix.learners.pocket": ["Pocket", "RatchetPocket"],
    "separatrix.course.datasets": [
        "load_demo",
        "make_credit",
        "make_graduation",
        "make_noisy",
        "make_separable",
    ],
    "separatrix.model": ["load", "save"],
    "separatrix.report.animation": ["animate"],
    "separatrix.report.as_json": ["to_json"],
    "separatrix.report.displays": [
        "CalibrationDisplay",
        "ExperimentDisplay",
        "ErrorMeasuresDisplay",
        "ErrorTraceDisplay",
        "PlaneDisplay",
        "ProjectionDisplay",
        "ResidualsDisplay",
        "ScoresDisplay",
        "SigmoidDisplay",
    ],
    "separatrix.report.page": ["to_html"],
    "separatrix.report.sections": ["to_text"],
    "separatrix.streaming": ["Stream", "StreamVerdict", "watch"],
    "separatrix.theory": ["learning_curve", "vc_bound"],
    "separatrix.predicting.answers": ["predict_frame"],
    "separatrix.tables": ["read_classes", "read_frame", "read_table"],
    "separatrix.trace": ["Trace"],
    "separatrix.verdict": ["MulticlassVerdict", "Verdict", "judge"],
}
_IN_MODULES = (
    "separatrix.certificates",
    "separatrix.certificates.fewest_mistakes",
    "separatrix.learners._stopping",
    "separatrix.report.displays",
)
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = sorted(["__version__", *_MODULE_OF])  # noqa: PLE0605  # the table above says it once


def __getattr__(name: str) -> Untyped:
    """Import a public name when it is first asked for."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'separatrix' has no attribute {name!r}")
    value = getattr(_load(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the names to begin with: displays, certificates and reasons are in their modules."""
    return [name for name in __all__ if _MODULE_OF.get(name) not in _IN_MODULES]
