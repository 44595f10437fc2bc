"""w, what is added to it, and their sum, as arrows: to one scale of their own."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from separatrix._types import Untyped
from separatrix.data import Floats
from separatrix.report.drawing import style
from separatrix.report.drawing.window import Window

LONGEST = 0.33  # of the longest vector, of the shorter side
SMALLEST = 0.35  # part of that, to stay in the window
SHORTEST = 0.02  # arrows shorter than that are not drawn
APART, PER_INCH = 11.0, 94.0  # between an arrow and its name: 11/94 of an inch
NAMES = {  # as mathematics, which is drawn as a marker: much faster than a text
    "w": (r"$\mathbf{w}$", style.LINE, 9),
    "+x": (r"$+\mathbf{x}$", style.YES, 15),
    "-x": (r"$-\mathbf{x}$", style.NO, 15),
    "sum": (r"$\mathbf{w}'$", style.ARROW, 11),
}


class Vector(NamedTuple):
    """An arrow and its name."""

    arrow: Any
    name: Any


class Vectors:
    """The arrows of a correction; `at` places them."""

    def __init__(self, ax: Untyped, window: Window) -> None:
        from matplotlib.patches import FancyArrowPatch

        self.window = window
        edges = ax.get_window_extent()
        self.pixel = ax.figure.dpi / PER_INCH / min(edges.width, edges.height)  # as drawn
        self.vectors = {}
        for key, (name, colour, size) in NAMES.items():
            arrow = FancyArrowPatch(
                (0, 0), (1, 1), arrowstyle="-|>", shrinkA=0, shrinkB=0, mutation_scale=12,
                color=colour, linewidth=1.8, animated=True, zorder=5, clip_on=False,
            )  # fmt: skip
            ax.add_patch(arrow)
            (word,) = ax.plot(
                [], [], marker=name, markersize=size, color=colour, markeredgewidth=0.3,
                linestyle="none", animated=True, zorder=6, clip_on=False,
            )  # fmt: skip
            self.vectors[key] = Vector(arrow, word)

    def at(self, w: Floats, step: Floats) -> list[Untyped]:
        """Return arrows for w, for what is added at its tip, and for the sum."""
        start = self.window.middle(w)
        after = w + step
        longest = max(float(np.hypot(*v[1:])) for v in (w, step, after))
        if longest == 0.0:
            return []
        scale = LONGEST * self._room(start, [w[1:] / longest, after[1:] / longest])
        tip, end = (start + self.window.from_drawn(scale * v[1:] / longest) for v in (w, after))
        shown = self._placed("w", start, tip, 1.0)
        if step.any():
            shown += self._placed("+x" if step[0] > 0.0 else "-x", tip, end, 0.5)
            shown += self._placed("sum", start, end, 1.0)
        return shown

    def _placed(self, key: str, foot: Floats, tip: Floats, where: float) -> list[Untyped]:
        """Place an arrow, its name beyond the tip or beside the middle."""
        drawn = (tip - foot) / self.window.size * self.window.drawn
        length = float(np.hypot(*drawn))
        if length < SHORTEST:
            return []
        vector = self.vectors[key]
        vector.arrow.set_positions(tuple(foot), tuple(tip))
        along = drawn / length
        if where < 1.0:
            along = np.array([along[1], -along[0]]) * (1.0 if along[1] >= 0.0 else -1.0)
        at = foot + where * (tip - foot) + self.window.from_drawn(APART * self.pixel * along)
        vector.name.set_data([at[0]], [at[1]])
        return [vector.arrow, vector.name]

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
