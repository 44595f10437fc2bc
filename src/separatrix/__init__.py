"""Learn a yes / no line, and prove it.

Names are imported when first used, so that `separatrix --help` does not wait for compilers.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from separatrix._version import __version__

if TYPE_CHECKING:
    from separatrix.certificates import (
        LogisticGap,
        Multipliers,
        Separability,
        Separation,
        mistake_bound,
        separability,
    )
    from separatrix.data import (
        InputError,
        NoFiniteOptimumWarning,
        NotConvergedWarning,
        SeparatrixWarning,
    )
    from separatrix.errors import CrossEntropy, PerceptronError, Squared, ZeroOne, error_table
    from separatrix.learners._stopping import Stopped
    from separatrix.learners.gradient_descent import GradientDescent
    from separatrix.learners.linear_regression import LinearRegression, LinearRegressionClassifier
    from separatrix.learners.logistic_regression import LogisticRegression
    from separatrix.learners.perceptron import Perceptron
    from separatrix.learners.pocket import Pocket
    from separatrix.model import load, save
    from separatrix.report import to_json, to_text
    from separatrix.tables import read_table
    from separatrix.trace import Trace
    from separatrix.verdict import Verdict, judge

_HOME = {
    "separatrix.certificates": [
        "LogisticGap",
        "Multipliers",
        "Separability",
        "Separation",
        "mistake_bound",
        "separability",
    ],
    "separatrix.data": [
        "InputError",
        "NoFiniteOptimumWarning",
        "NotConvergedWarning",
        "SeparatrixWarning",
    ],
    "separatrix.errors": ["CrossEntropy", "PerceptronError", "Squared", "ZeroOne", "error_table"],
    "separatrix.learners._stopping": ["Stopped"],
    "separatrix.learners.gradient_descent": ["GradientDescent"],
    "separatrix.learners.linear_regression": ["LinearRegression", "LinearRegressionClassifier"],
    "separatrix.learners.logistic_regression": ["LogisticRegression"],
    "separatrix.learners.perceptron": ["Perceptron"],
    "separatrix.learners.pocket": ["Pocket"],
    "separatrix.model": ["load", "save"],
    "separatrix.report": ["to_json", "to_text"],
    "separatrix.tables": ["read_table"],
    "separatrix.trace": ["Trace"],
    "separatrix.verdict": ["Verdict", "judge"],
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "CrossEntropy",
    "GradientDescent",
    "InputError",
    "LinearRegression",
    "LinearRegressionClassifier",
    "LogisticGap",
    "LogisticRegression",
    "Multipliers",
    "NoFiniteOptimumWarning",
    "NotConvergedWarning",
    "Perceptron",
    "PerceptronError",
    "Pocket",
    "Separability",
    "Separation",
    "SeparatrixWarning",
    "Squared",
    "Stopped",
    "Trace",
    "Verdict",
    "ZeroOne",
    "__version__",
    "error_table",
    "judge",
    "load",
    "mistake_bound",
    "read_table",
    "save",
    "separability",
    "to_json",
    "to_text",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401  # a module's attributes are anything
    """Import a public name when it is first asked for."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'separatrix' has no attribute {name!r}")
    value = getattr(importlib.import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
