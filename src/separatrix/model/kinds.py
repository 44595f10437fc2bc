"""What a model file may hold: a closed list of learners, and what each keeps beside its weights."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

from separatrix._types import Untyped
from separatrix.tables import Dialect, Encoding
from separatrix.tables.recipes import Recipe
from separatrix.tables.scan import codec_of

FORMAT = "separatrix model"
VERDICTS = dict.fromkeys(("Verdict", "MulticlassVerdict"), "pass its model, v.model instead of v")
VERSION = 2  # 1 had no SHA-256
LARGEST_FILE = 32 * 2**20
MOST_VALUES = 2**21  # at some 20 bytes each more than fill that file
DEEPEST = 12


LEARNERS = {  # and where each is found: a command imports the one or two that it uses
    "AveragedPerceptron": "voting",
    "Baseline": "baseline",
    "CoordinateDescent01": "coordinate_descent_01",
    "DualPerceptron": "dual_perceptron",
    "FirthLogisticRegression": "firth_logistic_regression",
    "GradientDescent": "gradient_descent",
    "LinearRegression": "linear_regression",
    "LinearRegressionClassifier": "linear_regression",
    "LogisticRegression": "logistic_regression",
    "MarginPerceptron": "margin_perceptron",
    "MinimumErrorClassifier": "minimum_error_classifier",
    "PassiveAggressive": "passive_aggressive",
    "Perceptron": "perceptron",
    "Pocket": "pocket",
    "RatchetPocket": "pocket",
    "VotedPerceptron": "voting",
}


def learner_called(name: str) -> Untyped:
    """Return the class of a learner, one of `LEARNERS`."""
    return getattr(import_module(f"separatrix.learners.{LEARNERS[name]}"), name)


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
    """The table a model was learned from, to be known again."""

    sha256: str  # of its bytes, in hexadecimal
    format: str  # one of `tables.files.formats.FORMATS`
    dialect: Dialect | None  # how its text was read; None for Parquet
    weight: str | None = None  # the column of row weights: rows of weight 0 took no part

    @property
    def options(self) -> dict[str, Any]:
        """What `read_table` needs to read such a file the same way."""
        if self.dialect is None or self.format != "csv":
            return {"format": self.format}
        return {"format": self.format, **asdict(self.dialect)}


@dataclass(frozen=True, slots=True)
class TableModel:
    """What a model learned from a table knows about tables."""

    encoding: Encoding  # how columns become features
    label: str  # the label's column
    # columns of the training table that are no features: label, weight, group, dropped ones
    extra: tuple[str, ...]
    origin: Origin | None = None  # that table; None when the model does not remember it
    recipes: tuple[Recipe, ...] = ()  # how some of its columns were read

    @property
    def decimal(self) -> str:
        """The decimal mark of the table that was learned from."""
        dialect = None if self.origin is None else self.origin.dialect
        return "." if dialect is None else dialect.decimal

    def read_as(self, asked: Mapping[str, Any], data: bytes) -> dict[str, Any]:
        """Return how new rows are read, of whose file some bytes are given: as asked, or alike."""
        dialect, encoding = self.origin and self.origin.dialect, asked.get("encoding")
        if encoding is None and dialect and codec_of(data, None) == "utf-8":
            try:
                getincrementaldecoder("utf-8")().decode(data)  # the last letter may be cut
            except UnicodeDecodeError:
                encoding = dialect.encoding
        return {**asked, "decimal": asked.get("decimal") or self.decimal, "encoding": encoding}
