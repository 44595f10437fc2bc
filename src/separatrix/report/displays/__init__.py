"""Pictures, by scikit-learn's Display convention: `from_estimator`, `from_predictions`, `plot`.

A display holds the numbers it draws, which come from the library; matplotlib is imported when the
first picture is drawn. After `plot` it has its Axes as ``ax_`` and its Figure as ``figure_``.
"""

from separatrix.report.displays.error_trace import (
    CalibrationDisplay,
    ErrorTraceDisplay,
    SigmoidDisplay,
)
from separatrix.report.displays.experiment import ExperimentDisplay
from separatrix.report.displays.plane import PlaneDisplay
from separatrix.report.displays.residuals import ProjectionDisplay, ResidualsDisplay
from separatrix.report.displays.scores import ErrorMeasuresDisplay, ScoresDisplay
