"""What `PlaneDisplay` draws, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from separatrix._types import Untyped
from separatrix.data import Floats
from separatrix.report.displays._display import Display
from separatrix.report.drawing import style
from separatrix.report.drawing.window import window_around

if TYPE_CHECKING:
    from separatrix.report.drawing.window import Region

ARROW_LENGTH = 0.2  # of the shorter side of the box
VECTORS_LENGTH = 0.35  # of the longest of w, x and their sum
ARROW = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "mutation_scale": 14, "linewidth": 1.8}


@dataclass(frozen=True, slots=True)
class Correction:
    """One update of PLA: row n, and eta y_n (1, x_n), which is added to w."""

    row: int
    step: Floats  # (3,), in the plane


@dataclass
class PlanePicture(Display):
    """The fields of `PlaneDisplay`, which says what they are, and how they are drawn."""

    points: Floats
    y: Floats
    weights: Floats | None
    mistakes: Any
    labels: tuple[str, str] = ("no", "yes")
    names: tuple[str, str] = ("x1", "x2")
    pocket: Floats | None = None
    correction: Correction | None = None
    others: str = ""
    region: Region | None = None
    n_answered_right: int = 0

    def plot(self, ax: Untyped = None) -> Self:
        """Draw it (again), on the axes given or on a new figure; return the display."""
        self._draw_on(style.axes_or_new(ax))
        self._window = window_around(self.points, equal=self.correction is not None)
        self.line_: Untyped = None
        self.pocket_line_: Untyped = None
        self.boundary_: Untyped = None
        self.arrow_: Untyped = None
        self.vectors_: dict[str, Untyped] = {}
        self._frame()
        self._points()
        if self.region is not None:
            self._region(self.region)
        if self.weights is not None:  # a line
            weights = self.weights
            ends, side = self._window.cut(weights)
            if len(side):
                self.ax_.fill(*side.T, color=style.YES_SIDE, linewidth=0, zorder=0)
            if len(ends) == 0:
                answer = "yes" if len(side) else "no"
                why = "w = 0 is no line" if not weights.any() else "the line misses this window"
                self._note(f"{why}: {'every score is 0' if not weights.any() else f'all {answer}'}")
            self.line_ = self._line(weights, color=style.LINE, linewidth=2.0, label="the line")
        if self.pocket is not None:
            self.pocket_line_ = self._line(
                self.pocket, color=style.POCKET, linewidth=2.0, linestyle="--",
                label="pocket's line",
            )  # fmt: skip
        if self.correction is not None and self.weights is not None:
            self._correction(self.correction, self.weights)
        elif self.line_ is not None:
            start = self._window.middle(weights)
            step = self._window.from_drawn(ARROW_LENGTH * self._window.normal(weights))
            self.arrow_ = self._vector(
                start, start + step, style.ARROW, "w", "w, the normal vector"
            )
        style.legend_above(self.ax_)
        return self

    def _frame(self) -> None:
        ax = self.ax_
        self._window.show_on(ax)
        style.whole_ticks(ax.yaxis)
        ax.set_xlabel(style.plain(self.names[0]))
        ax.set_ylabel(style.plain(self.names[1]))
        if self.others:
            ax.annotate(
                f"{'Line' if self.region is None else 'Region'}: cut with {self.others}.",
                (1.0, 0.0), (0, -34), fontsize="small", xycoords="axes fraction",
                textcoords="offset points", ha="right", va="top", color=style.QUIET,
                annotation_clip=False,
            )  # fmt: skip
        style.tidy(ax)

    def _points(self) -> None:
        for sign in style.COLOURS:
            rows = self.y == sign
            self.ax_.scatter(
                *self.points[rows].T, zorder=3, **style.MARKERS[sign],
                label=f"{style.class_name(sign, self.labels)} ({rows.sum():,})",
            )  # fmt: skip
        wrong, n, zeros = self.mistakes, len(self.y), self.n_answered_right
        alone = f" ({zeros:,} for a score of 0 alone)" if zeros else ""
        self.mistakes_ = self.ax_.scatter(
            *self.points[wrong].T, label=f"mistakes: {wrong.sum():,} of {n:,}{alone}", zorder=3.5,
            **style.ring(n),
        )  # fmt: skip

    def _region(self, region: Region) -> None:
        """Tint where the learner says yes, and draw where its answers change."""
        across, up, scores = region.on_grid(self._window)
        yes = scores > 0.0
        if yes.all() or not yes.any():
            self._note(f"the boundary misses this window: all {'yes' if yes.any() else 'no'}")
        if yes.any():
            self.ax_.contourf(across, up, scores, levels=[0.0, 2.0], colors=[style.YES_SIDE],
                             zorder=0)  # fmt: skip
        if yes.any() and not yes.all():
            self.boundary_ = self.ax_.contour(
                across, up, scores, levels=[0.0], colors=[style.LINE], linewidths=2.0, zorder=4
            )
            self.ax_.plot([], [], color=style.LINE, linewidth=2.0, label="the boundary")

    def _note(self, sentence: str) -> None:
        self.ax_.text(
            0.5, 0.985, sentence, transform=self.ax_.transAxes, ha="center", va="top",
            fontsize="small", color=style.LINE, zorder=6,
            bbox={"facecolor": "white", "edgecolor": style.QUIET, "boxstyle": "round"},
        )  # fmt: skip

    def _line(self, weights: Floats, **how: Untyped) -> Untyped:
        ends, _ = self._window.cut(weights)
        if len(ends) == 0:
            if how["color"] != style.LINE:  # the first line has a note
                self.ax_.plot([], [], " ", label=f"{how['label']}: misses this window")
            return None
        return self.ax_.plot(*ends.T, zorder=4, **how)[0]

    def _correction(self, correction: Correction, w: Floats) -> None:
        """Draw w, eta y x at its tip, and their sum: two components of each, to one scale."""
        step = correction.step
        after = w + step
        scale = np.stack([w, step, after])
        longest = float(np.hypot(scale[:, 1], scale[:, 2]).max())
        vectors = VECTORS_LENGTH * scale[:, 1:] / max(longest, 5e-324)
        v_w, v_x, v_sum = (self._window.from_drawn(v) for v in vectors)
        start = self._window.middle(w)
        sign = "+" if self.y[correction.row] > 0 else "−"
        colour = style.YES if sign == "+" else style.NO
        self._line(
            after, color=style.ARROW, linewidth=1.4, linestyle=":",
            label="the line after",
        )  # fmt: skip
        self.vectors_ = {
            "w": self._vector(start, start + v_w, style.LINE, "w", "w"),
            "x": self._vector(
                start + v_w, start + v_w + v_x, colour, f"{sign}x", "y x, added", 0.5
            ),
            "sum": self._vector(start, start + v_sum, style.ARROW, "w′", "w′ = w + y x"),
        }
        self.arrow_ = self.vectors_["w"]
        here = self.points[correction.row]
        self.ax_.scatter(
            here[0], here[1], marker="o", s=170, facecolors="none", edgecolors=style.ARROW,
            linewidths=2.0, zorder=5, label="being corrected",
        )  # fmt: skip

    def _vector(  # noqa: PLR0917  # an arrow, its name, and what the legend calls it
        self, start: Floats, end: Floats, colour: str, name: str, label: str, where: float = 1.0
    ) -> Untyped:
        """Draw an arrow, its name beyond the tip or beside the middle."""
        drawn = self.ax_.annotate(
            "", xy=(end[0], end[1]), xytext=(start[0], start[1]), zorder=5,
            arrowprops={**ARROW, "color": colour}, annotation_clip=False,
        )  # fmt: skip
        step = (end - start) / self._window.size * self._window.drawn
        shift = 11.0 * step / max(float(np.hypot(*step)), 5e-324)
        if where < 1.0:  # at its tip is that of the sum
            shift = np.array([shift[1], -shift[0]]) * (1.2 if shift[1] >= 0.0 else -1.2)
        style.halo(self.ax_, name, start + where * (end - start), shift, colour)
        self.ax_.plot([], [], color=colour, marker=r"$\rightarrow$", markersize=14,
                     linestyle="none", label=label)  # fmt: skip
        return drawn
