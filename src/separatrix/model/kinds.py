"""What a model file may hold: a closed list of learners, and what each keeps beside its weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from separatrix.learners.averaged_perceptron import AveragedPerceptron
from separatrix.learners.baseline import Baseline
from separatrix.learners.coordinate_descent_01 import CoordinateDescent01
from separatrix.learners.dual_perceptron import DualPerceptron
from separatrix.learners.gradient_descent import GradientDescent
from separatrix.learners.linear_regression import LinearRegression, LinearRegressionClassifier
from separatrix.learners.logistic_regression import LogisticRegression
from separatrix.learners.margin_perceptron import MarginPerceptron
from separatrix.learners.minimum_error_classifier import MinimumErrorClassifier
from separatrix.learners.passive_aggressive import PassiveAggressive
from separatrix.learners.perceptron import Perceptron
from separatrix.learners.pocket import Pocket
from separatrix.learners.ratchet_pocket import RatchetPocket
from separatrix.learners.voted_perceptron import VotedPerceptron
from separatrix.tables import Dialect, Encoding

FORMAT = "separatrix model"
VERSION = 2  # 1 had no SHA-256
LARGEST_FILE = 32 * 2**20
MOST_VALUES = 2**21  # at some 20 bytes each more than fill that file
DEEPEST = 12

LEARNERS: Mapping[str, Any] = {
    cls.__name__: cls
    for cls in (
        AveragedPerceptron, Baseline, CoordinateDescent01, DualPerceptron, GradientDescent,
        LinearRegression, LinearRegressionClassifier, LogisticRegression, MarginPerceptron,
        MinimumErrorClassifier, PassiveAggressive, Perceptron, Pocket, RatchetPocket,
        VotedPerceptron,
    )
}  # fmt: skip

# fitted arrays (1+d,) beside the weights that predictions need
FURTHER = {"LogisticRegression": ("direction_", "finite_weights_")}

OF_A_LEARNER = {"learner", "parameters", "weights", "further"}
OF_A_FILE = {"format", "version", "sha256", "labels", "features", "table"}
OF_A_JOINED_FILE = {*OF_A_FILE, "rule", "models"}

LABEL_KINDS: Mapping[str, Callable[[Any], Any]] = {
    "text": str,
    "whole": int,
    "number": float,
    "truth": bool,
}


@dataclass(frozen=True, slots=True)
class Origin:
    """The table a model was learned from, to be known again.

    Parameters
    ----------
    sha256 : str
        Of its bytes, in hexadecimal.
    format : str
        "csv", "parquet" or "svmlight".
    dialect : Dialect or None
        How its text was read; None for Parquet.
    weight : str or None
        The column of row weights: rows of weight 0 took no part.
    """

    sha256: str
    format: str
    dialect: Dialect | None
    weight: str | None = None

    @property
    def options(self) -> dict[str, Any]:
        """What `read_table` needs to read such a file the same way."""
        if self.dialect is None or self.format != "csv":
            return {"format": self.format}
        return {"format": self.format, **asdict(self.dialect)}


@dataclass(frozen=True, slots=True)
class TableModel:
    """What a model learned from a table knows about tables.

    Parameters
    ----------
    encoding : Encoding
        How columns become features.
    label : str
        The label's column.
    extra : tuple of str
        Columns of the training table that are no features: label, weight, group, dropped ones.
    origin : Origin or None
        That table; None when the model does not remember it.
    """

    encoding: Encoding
    label: str
    extra: tuple[str, ...]
    origin: Origin | None = None
