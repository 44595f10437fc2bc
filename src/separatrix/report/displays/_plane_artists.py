"""What `PlaneDisplay` puts on its axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from separatrix._types import Untyped
from separatrix.data import Floats
from separatrix.report.displays import _style as style
from separatrix.report.displays._units import Units, line_in_units
from separatrix.report.displays._window import Window

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.contour import ContourSet
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation

    from separatrix.report.displays._region import Region

ARROW_LENGTH = 0.2  # of the shorter side of the box
VECTORS_LENGTH = 0.35  # of the longest of w, x and their sum
ARROW = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "mutation_scale": 14, "linewidth": 1.8}


@dataclass(frozen=True, slots=True)
class Correction:
    """One update of PLA: row n, and eta y_n (1, x_n), which is added to w."""

    row: int
    step: Floats  # (3,), in the plane


class Picture(Protocol):
    """What is drawn: the fields of `PlaneDisplay`, and the points in the units shown."""

    y: Floats
    weights: Floats | None
    mistakes: Untyped
    labels: tuple[str, str]
    names: tuple[str, str]
    pocket: Floats | None
    correction: Correction | None
    others: str
    region: Region | None
    n_answered_right: int

    def seen(self) -> tuple[Floats, tuple[Units, Units], Window]:
        """Return the points as drawn (N, 2), the units of both axes, and the window."""


class PlaneArtists:
    """The pieces of one picture of the plane; `draw` puts them on the axes."""

    def __init__(self, display: Picture, ax: Axes) -> None:
        self.display, self.ax = display, ax
        self.points, self.units, self.window = display.seen()
        self.rings: PathCollection
        self.line: Line2D | None = None
        self.boundary: ContourSet | None = None
        self.pocket_line: Line2D | None = None
        self.arrow: Annotation | None = None
        self.vectors: dict[str, Annotation] = {}

    def draw(self) -> None:
        """Draw everything."""
        self._frame()
        self._points()
        if self.display.region is not None:
            self._region(self.display.region)
        if self.display.weights is not None:  # a line
            weights = line_in_units(self.display.weights, self.units)
            self._side(weights)
            self.line = self._line(weights, color=style.LINE, linewidth=2.0, label="the line")
        if self.display.pocket is not None:
            pocket = line_in_units(self.display.pocket, self.units)
            self.pocket_line = self._line(
                pocket, color=style.POCKET, linewidth=2.0, linestyle="--", label="pocket's line"
            )
        if self.display.correction is not None:
            self._correction()
        elif self.line is not None:
            self._normal(weights)
        style.legend_above(self.ax)

    def _frame(self) -> None:
        ax, window = self.ax, self.window
        low, high = window.low, window.low + window.size
        ax.set_xlim(low[0], high[0])
        ax.set_ylim(low[1], high[1])
        ax.set_box_aspect(1.0 / window.shape)  # so that what is at right angles stays so
        ax.ticklabel_format(axis="y", useOffset=False)  # it would stand in the legend
        names = [style.plain(name) for name in self.display.names]
        ax.set_xlabel(self.units[0].label(names[0]))
        ax.set_ylabel(self.units[1].label(names[1]))
        if self.display.others:
            ax.annotate(
                f"{'Line' if self.display.region is None else 'Region'}: cut with "
                f"{self.display.others}.", (1.0, 0.0), (0, -34), fontsize="small",
                xycoords="axes fraction", textcoords="offset points", ha="right", va="top",
                color=style.QUIET, annotation_clip=False,
            )  # fmt: skip
        style.tidy(ax)

    def _points(self) -> None:
        display = self.display
        for sign, word in ((1, "yes"), (-1, "no")):
            rows = display.y == sign
            label = style.plain(display.labels[(sign + 1) // 2])
            self.ax.scatter(
                *self.points[rows].T, label=f"{word}: {label} ({rows.sum():,})",
                zorder=3, **style.MARKERS[sign],
            )  # fmt: skip
        wrong, n = display.mistakes, len(display.y)
        zeros = display.n_answered_right
        alone = f" ({zeros:,} for a score of 0 alone)" if zeros else ""
        self.rings = self.ax.scatter(
            *self.points[wrong].T, label=f"mistakes: {wrong.sum():,} of {n:,}{alone}", zorder=3.5,
            **style.ring(n),
        )  # fmt: skip

    def _side(self, weights: Floats) -> None:
        """Tint where the line says yes; say so where that is all or nothing of the window."""
        ends, side = self.window.cut(weights)
        if len(side):
            self.ax.fill(*side.T, color=style.YES_SIDE, linewidth=0, zorder=0)
        if len(ends) == 0:
            answer = "yes" if len(side) else "no"
            why = "w = 0 is no line" if not weights.any() else "the line misses this window"
            self._note(f"{why}: {'every score is 0' if not weights.any() else f'all {answer}'}")

    def _region(self, region: Region) -> None:
        """Tint where the learner says yes, and draw where its answers change."""
        across, up, scores = region.on_grid(self.window, self.units)
        yes = scores > 0.0
        if yes.all() or not yes.any():
            self._note(f"the boundary misses this window: all {'yes' if yes.any() else 'no'}")
        if yes.any():
            self.ax.contourf(across, up, scores, levels=[0.0, 2.0], colors=[style.YES_SIDE],
                             zorder=0)  # fmt: skip
        if yes.any() and not yes.all():
            self.boundary = self.ax.contour(
                across, up, scores, levels=[0.0], colors=[style.LINE], linewidths=2.0, zorder=4
            )
            self.ax.plot([], [], color=style.LINE, linewidth=2.0, label="the boundary")

    def _note(self, sentence: str) -> None:
        self.ax.text(
            0.5, 0.985, sentence, transform=self.ax.transAxes, ha="center", va="top",
            fontsize="small", color=style.LINE, zorder=6,
            bbox={"facecolor": "white", "edgecolor": style.QUIET, "boxstyle": "round"},
        )  # fmt: skip

    def _line(self, weights: Floats, **how: Untyped) -> Line2D | None:
        ends, _ = self.window.cut(weights)
        if len(ends) == 0:
            if how["color"] != style.LINE:  # the first line has a note
                self.ax.plot([], [], " ", label=f"{how['label']}: misses this window")
            return None
        return self.ax.plot(*ends.T, zorder=4, **how)[0]

    def _middle(self, weights: Floats) -> Floats:
        ends, _ = self.window.cut(weights)
        if len(ends) == 0:
            return np.asarray(self.window.low + self.window.size / 2)
        return np.asarray(ends[0] + (ends[1] - ends[0]) / 2)

    def _normal(self, weights: Floats) -> None:
        """Draw w from the middle of the line, at right angles to it as drawn."""
        start = self._middle(weights)
        step = self.window.from_drawn(ARROW_LENGTH * self.window.normal(weights))
        self.arrow = self._vector(start, start + step, style.ARROW, "w", "w, the normal vector")

    def _correction(self) -> None:
        """Draw w, eta y x at its tip, and their sum: two components of each, to one scale."""
        correction = self.display.correction
        w = self.display.weights
        assert correction is not None and w is not None  # noqa: S101, PT018  # the caller has looked
        step = correction.step
        after = w + step
        scale = self.units[0].of(np.stack([w, step, after]))
        longest = float(np.hypot(scale[:, 1], scale[:, 2]).max())
        vectors = VECTORS_LENGTH * scale[:, 1:] / max(longest, 5e-324)
        v_w, v_x, v_sum = (self.window.from_drawn(v) for v in vectors)
        start = self._middle(line_in_units(w, self.units))
        sign = "+" if self.display.y[correction.row] > 0 else "−"
        colour = style.YES if sign == "+" else style.NO
        self.line_after = self._line(
            line_in_units(after, self.units), color=style.ARROW, linewidth=1.4, linestyle=":",
            label="the line after",
        )  # fmt: skip
        self.vectors = {
            "w": self._vector(start, start + v_w, style.LINE, "w", "w"),
            "x": self._vector(
                start + v_w, start + v_w + v_x, colour, f"{sign}x", "y x, added", 0.5
            ),
            "sum": self._vector(start, start + v_sum, style.ARROW, "w′", "w′ = w + y x"),
        }
        self.arrow = self.vectors["w"]
        here = self.points[correction.row]
        self.ax.scatter(
            here[0], here[1], marker="o", s=170, facecolors="none", edgecolors=style.ARROW,
            linewidths=2.0, zorder=5, label="being corrected",
        )  # fmt: skip

    def _vector(  # noqa: PLR0917  # an arrow, its name, and what the legend calls it
        self, start: Floats, end: Floats, colour: str, name: str, label: str, where: float = 1.0
    ) -> Annotation:
        """Draw an arrow, its name beyond the tip or beside the middle."""
        drawn = self.ax.annotate(
            "", xy=(end[0], end[1]), xytext=(start[0], start[1]), zorder=5,
            arrowprops={**ARROW, "color": colour}, annotation_clip=False,
        )  # fmt: skip
        step = (end - start) / self.window.size * self.window.drawn
        shift = 11.0 * step / max(float(np.hypot(*step)), 5e-324)
        if where < 1.0:  # at its tip is that of the sum
            shift = np.array([shift[1], -shift[0]]) * (1.2 if shift[1] >= 0.0 else -1.2)
        style.halo(self.ax, name, start + where * (end - start), shift, colour)
        self.ax.plot([], [], color=colour, marker=r"$\rightarrow$", markersize=14,
                     linestyle="none", label=label)  # fmt: skip
        return drawn
