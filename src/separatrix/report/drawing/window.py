"""The part of a plane that a picture shows, where a line cuts it, and vectors to one scale."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from separatrix._types import Untyped
from separatrix.data import Floats
from separatrix.report.drawing import style

MARGIN = 0.08  # of the points' extent, on every side
MOST_UNEQUAL = 4.0  # columns whose extents differ by more get scales of their own
WIDEST, TALLEST = 1.5, 0.75  # width / height of the box
CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))


@dataclass(frozen=True, slots=True)
class Window:
    """A box in the plane of two columns."""

    low: Floats
    size: Floats
    shape: float  # width / height as drawn

    @property
    def drawn(self) -> Floats:
        """The extent as drawn, (2,): the shorter side is 1."""
        return np.array([max(self.shape, 1.0), max(1.0 / self.shape, 1.0)])

    def from_drawn(self, step: Floats) -> Floats:
        """Return a step (2,) as drawn in the units of the columns."""
        return np.asarray(step * self.size / self.drawn)

    def normal(self, weights: Floats) -> Floats:
        """Return the unit vector (2,), as drawn, at right angles to w_0 + w_1 a + w_2 b = 0."""
        scaled = weights[1:] / max(float(np.abs(weights[1:]).max()), 5e-324)
        steps = scaled * (self.size / self.size.max()) / self.drawn
        return np.asarray(steps / max(float(np.hypot(*steps)), 5e-324))

    def show_on(self, ax: Untyped) -> None:
        """Make axes show this window, in its shape: what is at right angles stays so."""
        high = self.low + self.size
        ax.set_xlim(self.low[0], high[0])
        ax.set_ylim(self.low[1], high[1])
        ax.set_box_aspect(1.0 / self.shape)

    def middle(self, weights: Floats) -> Floats:
        """Return the middle (2,) of a line in this window, or that of the window it misses."""
        ends, _ = self.cut(weights)
        return np.asarray(ends.mean(axis=0) if len(ends) else self.low + self.size / 2)

    def cut(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return the ends of a line in this window (2, 2) or (0, 2), and the yes side (k, 2)."""
        w = weights / max(float(np.abs(weights).max()), 5e-324)
        at = [float(w[0] + w[1:] @ (self.low + corner * self.size)) for corner in CORNERS]
        ends: list[tuple[float, float]] = []
        side: list[tuple[float, float]] = []
        for k, (a, b) in enumerate(CORNERS):
            here, there, (p, q) = at[k], at[k - 3], CORNERS[k - 3]
            if here >= 0:
                side.append((a, b))
            if here == 0:
                ends.append((a, b))
            if here * there < 0:
                part = here / (here - there)
                crossing = (a + part * (p - a), b + part * (q - b))
                ends.append(crossing)
                side.append(crossing)
        if len(ends) != 2:  # it touches a corner, misses, or w = 0
            ends = []
        if max(at) <= 0:
            side = []
        lines = (np.array(points).reshape(-1, 2) for points in (ends, side))
        cut, yes = (self.low + points * self.size for points in lines)
        return cut, yes


def window_around(points: Floats, equal: bool = False, shape: float | None = None) -> Window:
    """Return a window around points (N, 2): units as long on both axes where that can be seen."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = high - low
    # a column of one value gets an extent that its ticks can show
    least = np.maximum(np.abs(low), np.abs(high)) * 1e-9
    size = np.where(size > least, size, np.maximum(least, 0.0))
    size = np.where(size > 0.0, size, size.max() if size.max() > 0.0 else 1.0)
    low = (low + high) / 2 - size / 2
    low, size = low - MARGIN * size, size * (1 + 2 * MARGIN)
    extents = float(size[0] / size[1])
    if not equal and not 1 / MOST_UNEQUAL <= extents <= MOST_UNEQUAL:
        return Window(low, size, 1.25 if shape is None else shape)
    drawn_as = min(max(extents, TALLEST), WIDEST) if shape is None else shape
    wanted = np.array([max(size[0], drawn_as * size[1]), max(size[1], size[0] / drawn_as)])
    return Window(low - (wanted - size) / 2, wanted, drawn_as)


GRID = 241  # points along each side of a window
VALUES_TOGETHER = 2**22  # of the rows that are scored in one go
LEAST = 1e-9  # of the largest score: what a score of zero is drawn as, on the side of its answer


class Region:
    """The scores of a fitted learner in a plane, all other columns at their means."""

    def __init__(self, estimator: Untyped, pair: tuple[int, int], means: Floats) -> None:
        self.estimator = copy.copy(estimator)
        vars(self.estimator).pop("feature_names_in_", None)  # rows of a grid have no names
        self.zero_is_yes = getattr(estimator, "sign_of_zero_", None) == 1
        self.pair, self.means = pair, means

    def scores(self, points: Floats) -> Floats:
        """Return the scores of points (m, 2) of the plane: (m,)."""
        together = max(1, VALUES_TOGETHER // self.means.size)
        made = []
        for start in range(0, len(points), together):
            some = points[start : start + together]
            rows = np.tile(self.means, (len(some), 1))
            rows[:, list(self.pair)] = some
            made.append(np.asarray(self.estimator.decision_function(rows), dtype=np.float64))
        return np.concatenate(made)

    def on_grid(self, window: Window) -> tuple[Floats, Floats, Floats]:
        """Return a grid over a window, (GRID,) and (GRID,), and the scores there, (GRID, GRID)."""
        across, up = (np.linspace(window.low[k], window.low[k] + window.size[k], GRID)
                      for k in (0, 1))  # fmt: skip
        a, b = np.meshgrid(across, up)
        scores = self.scores(np.column_stack((a.ravel(), b.ravel()))).reshape(a.shape)
        scores = scores / max(float(np.abs(scores).max()), 5e-324)
        return across, up, np.where(scores == 0.0, LEAST if self.zero_is_yes else -LEAST, scores)


LONGEST = 0.33  # of the longest vector, of the shorter side
SMALLEST = 0.35  # part of that, to stay in the window
SHORTEST = 0.02  # arrows shorter than that are not drawn
APART = 11.0 / 94.0  # inches between an arrow and its name
NAMES = {  # as mathematics, which is drawn as a marker: much faster than a text
    "w": (r"$\mathbf{w}$", style.LINE, 9),
    "normal": (r"$\mathbf{w}$", style.ARROW, 9),
    "+x": (r"$+\mathbf{x}$", style.YES, 15),
    "-x": (r"$-\mathbf{x}$", style.NO, 15),
    "sum": (r"$\mathbf{w}'$", style.ARROW, 11),
}


class Vectors:
    """The arrows on some axes; `at` and `place` draw them, or move those that are drawn."""

    def __init__(self, ax: Untyped, window: Window, *, animated: bool = False) -> None:
        self.ax, self.window, self.animated = ax, window, animated
        self.drawn: dict[str, tuple[Untyped, Untyped]] = {}  # arrows and their names
        self.ends: dict[str, Floats] = {}  # (2, 2) from where to where, of those placed last

    def at(self, w: Floats, step: Floats) -> list[Untyped]:
        """Return arrows for w, for what is added at its tip, and for the sum."""
        self.ends = {}
        start = self.window.middle(w)
        after = w + step
        longest = max(float(np.hypot(*v[1:])) for v in (w, step, after))
        if longest == 0.0:
            return []
        scale = LONGEST * self._room(start, [w[1:] / longest, after[1:] / longest])
        tip, end = (start + self.window.from_drawn(scale * v[1:] / longest) for v in (w, after))
        shown = self.place("w", start, tip)
        if step.any():
            shown += self.place("+x" if step[0] > 0.0 else "-x", tip, end, 0.5)
            shown += self.place("sum", start, end)
        return shown

    def place(self, key: str, foot: Floats, tip: Floats, where: float = 1.0) -> list[Untyped]:
        """Place an arrow, its name beyond the tip or beside the middle."""
        from matplotlib.transforms import ScaledTranslation

        drawn = (tip - foot) / self.window.size * self.window.drawn
        length = float(np.hypot(*drawn))
        if length < SHORTEST:
            return []
        self.ends[key] = np.array([foot, tip])
        arrow, name = self.drawn[key] = self.drawn.get(key) or self._made(key)
        arrow.set_positions(tuple(foot), tuple(tip))
        along = drawn / length
        if where < 1.0:
            along = np.array([along[1], -along[0]]) * (1.0 if along[1] >= 0.0 else -1.0)
        x, y = APART * along
        shift = ScaledTranslation(x, y, self.ax.figure.dpi_scale_trans)
        name.set_transform(self.ax.transData + shift)
        at = foot + where * (tip - foot)
        name.set_data([at[0]], [at[1]])
        return [arrow, name]

    def _made(self, key: str) -> tuple[Untyped, Untyped]:
        from matplotlib.patches import FancyArrowPatch

        marker, colour, size = NAMES[key]
        arrow = FancyArrowPatch(
            (0, 0), (1, 1), arrowstyle="-|>", shrinkA=0, shrinkB=0, mutation_scale=12,
            color=colour, linewidth=1.8, animated=self.animated, zorder=5, clip_on=False,
        )  # fmt: skip
        self.ax.add_patch(arrow)
        (name,) = self.ax.plot(
            [], [], marker=marker, markersize=size, color=colour, markeredgewidth=0.3,
            linestyle="none", animated=self.animated, zorder=6, clip_on=False,
        )  # fmt: skip
        return arrow, name

    def _room(self, start: Floats, vectors: list[Floats]) -> float:
        """Return by how much vectors of length LONGEST must shrink to stay in the window."""
        least = 1.0
        for vector in vectors:
            step = self.window.from_drawn(LONGEST * vector)
            edge = np.where(
                step > 0.0, self.window.low + self.window.size - start, self.window.low - start
            )
            parts = np.divide(edge, step, out=np.ones(2), where=step != 0.0)
            least = min(least, float(parts.min()))
        return max(least, SMALLEST)
