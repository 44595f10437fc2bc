"""The figures of an experiment, drawn: what it varies across, what it measures upwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from separatrix._types import Untyped
from separatrix.course.experiments import Experiment
from separatrix.data import Floats
from separatrix.report.displays._display import Display
from separatrix.report.drawing import style


class Curve(NamedTuple):
    """One line of the picture: its name, what is across, what is up, and its bars of error."""

    name: str
    across: Floats
    up: Floats
    spread: Floats | None = None
    expected: bool = False


class Drawn(NamedTuple):
    """How an experiment is drawn: names of the axes, their scales, the curves."""

    across: str
    up: str
    scales: tuple[str, str]
    curves: Callable[[Experiment], list[Curve]]


def _learning_curve(found: Experiment) -> list[Curve]:
    n = found.column("N")
    return [
        Curve("E_in", n, found.column("E_in"), found.column("its standard error")),
        Curve("s^2 (1 - (d+1)/N)", n, found.column("s^2 (1 - (d+1)/N)"), expected=True),
        Curve("E_out", n, found.column("E_out"), found.column("standard error of it")),
        Curve("s^2 (1 + (d+1)/N)", n, found.column("s^2 (1 + (d+1)/N)"), expected=True),
    ]


def _columns(across: str, *up: str, expected: tuple[str, ...] = ()) -> Callable[..., list[Curve]]:
    """Return what draws columns as they are named."""

    def curves(found: Experiment) -> list[Curve]:
        return [
            Curve(name, found.column(across), found.column(name), expected=name in expected)
            for name in (*up, *expected)
        ]

    return curves


def _descents(found: Experiment) -> list[Curve]:
    updates = np.array(found.settings["updates"], np.float64)
    return [
        Curve(f"eta = {row[1]:g}{' |grad|' if row[0] else ''}", updates, np.array(row[2:], float))
        for row in found.rows
    ]


DRAWN: Mapping[str, Drawn] = {
    "learning-curve": Drawn("rows N", "mean squared error", ("linear", "linear"), _learning_curve),
    "bound": Drawn(
        "margin of the target",
        "updates T",
        ("log", "log"),
        _columns("margin", "T", "largest T", expected=("best bound", "bound of the target")),
    ),
    "noise": Drawn(
        "probability that a label is turned round",
        "share of mistakes",
        ("linear", "linear"),
        _columns("flip", "PLA E_in", "pocket E_in", "regression E_in", expected=("target E_in",)),
    ),
    "warm-start": Drawn(
        "probability that a label is turned round",
        "mistakes in the pocket",
        ("linear", "linear"),
        _columns(
            "flip", "pocket from zero", "pocket from regression", expected=("regression alone",)
        ),
    ),
    "pocket-cost": Drawn(
        "rows N", "rows visited", ("log", "log"), _columns("N", "PLA rows", "pocket rows")
    ),
    "eta": Drawn("updates", "E_in (cross-entropy)", ("symlog", "log"), _descents),
}


@dataclass
class ExperimentDisplay(Display):
    """What an experiment measured, against what it varied.

    Make one with `from_experiment`.

    Parameters
    ----------
    experiment : Experiment

    Attributes
    ----------
    ax_ : Axes, figure_ : Figure
    lines_ : dict of curve name -> Line2D

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from separatrix import ExperimentDisplay, experiment
    >>> found = experiment("bound", margins=(0.5, 0.1), repeats=2)
    >>> list(ExperimentDisplay.from_experiment(found).lines_)
    ['T', 'largest T', 'best bound', 'bound of the target']
    """

    experiment: Experiment

    @classmethod
    def from_experiment(cls, experiment: Experiment, *, ax: Untyped = None) -> Self:
        """Draw what `separatrix.experiment` returned."""
        return cls(experiment).plot(ax)

    def _draw(self, ax: Untyped) -> None:
        drawn = DRAWN[self.experiment.name]
        self.lines_ = {}
        for k, curve in enumerate(drawn.curves(self.experiment)):
            look = {"label": curve.name, "color": f"C{k}"} | (
                {"linestyle": "--", "marker": ""} if curve.expected else {"marker": "o", "ms": 4}
            )
            if curve.spread is None:
                (self.lines_[curve.name],) = ax.plot(curve.across, curve.up, **look)
            else:
                bars = ax.errorbar(curve.across, curve.up, curve.spread, capsize=2, **look)
                self.lines_[curve.name] = bars.lines[0]
        ax.set_xscale(drawn.scales[0])  # symlog: logarithmic, and 0 has a place
        ax.set_yscale(drawn.scales[1])
        for axis, scale in zip((ax.xaxis, ax.yaxis), drawn.scales, strict=True):
            if scale == "log":
                style.log_ticks(axis)
        style.finish(ax, drawn.across, drawn.up)
