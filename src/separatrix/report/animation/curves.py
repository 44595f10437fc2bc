"""The curves beside the plane, as far as the film has got."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix._types import Untyped
from separatrix.data import Floats
from separatrix.report.animation.film import Film
from separatrix.report.drawing import style

LEFT, WIDTH, BOTTOM, TOP, GAP = 0.715, 0.27, 0.115, 0.845, 0.105
FONT = 8.5
MOST_POINTS = 600  # of a curve; a panel has fewer pixels


class Curves:
    """Panels one below the other; `at` returns their moving curves up to t."""

    def __init__(self, figure: Untyped, film: Film) -> None:
        self.steps = np.unique(np.linspace(0, film.n_updates, MOST_POINTS).astype(int))
        panels: list[tuple[str, list[tuple[Floats, str, str]], Floats | None]] = []
        growth, e_in = film.growth, film.mistakes / film.y.size
        if film.target is not None:
            panels.append(("w_f·w_t  ≥  t ρ |w_f|", [(growth.inner, style.YES, "-")],
                           growth.inner_lower))  # fmt: skip
        panels.append(("|w_t|²  ≤  t R²", [(growth.length_squared, style.YES, "-")],
                       growth.length_squared_upper))  # fmt: skip
        curves = [(e_in, style.YES, "-"), (e_in[film.pocket], style.POCKET, "--")]
        panels.append(("E_in of PLA, and of the pocket", curves, None))
        self.moving: list[tuple[Untyped, Untyped, Floats]] = []
        height = (TOP - BOTTOM - GAP * (len(panels) - 1)) / len(panels)
        for k, (title, drawn, bound) in enumerate(panels):
            bottom = TOP - (k + 1) * height - k * GAP
            axes = figure.add_axes((LEFT, bottom, WIDTH, height))
            self._panel(axes, title, drawn, bound, film.n_updates)
            axes.tick_params(labelsize=FONT - 1, labelbottom=k == len(panels) - 1)
        axes.set_xlabel("updates t", fontsize=FONT)

    def _panel(  # one line of the table above
        self,
        axes: Untyped,
        title: str,
        drawn: list[tuple[Floats, str, str]],
        bound: Floats | None,
        last: int,
    ) -> None:
        axes.set_title(style.symbols(title), fontsize=FONT, loc="left", pad=3)
        style.tidy(axes)
        style.whole_ticks(axes.yaxis)
        if bound is not None:
            axes.plot(self.steps, bound[self.steps], color=style.BOUND, linestyle=":")
        for values, colour, dashes in drawn:
            # the whole curve faintly, so that the eye knows where it goes
            axes.plot(self.steps, values[self.steps], color=colour, linewidth=0.8, alpha=0.25)
            how: dict[str, Any] = {"color": colour, "linestyle": dashes, "animated": True}
            (moving,) = axes.plot([], [], linewidth=1.6, **how)
            self.moving.append((axes, moving, values))
        highest = max(float(values.max()) for values, _, _ in drawn)
        lowest = min(0.0, *(float(values.min()) for values, _, _ in drawn))
        if bound is not None and bound.max() < 8.0 * max(highest, 5e-324):
            highest = max(highest, float(bound.max()))
        room = 0.06 * max(highest - lowest, 1e-12)
        axes.set_ylim(lowest - room, highest + room)
        axes.locator_params(axis="x", integer=True)
        axes.set_xlim(-0.02 * max(last, 1), max(last, 1) * 1.02)

    def at(self, t: int) -> list[tuple[Untyped, Untyped]]:
        """Return the curves up to t, with their axes."""
        seen = np.append(self.steps[self.steps < t], t)
        for _, line, values in self.moving:
            line.set_data(seen, values[seen])
        return [(axes, line) for axes, line, _ in self.moving]
