"""Vectors in a plane: w, what a correction adds at its tip, and their sum, to one scale."""

from __future__ import annotations

import numpy as np

from separatrix._types import Untyped
from separatrix.data import Floats
from separatrix.report.drawing import style
from separatrix.report.drawing.window import Window

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
