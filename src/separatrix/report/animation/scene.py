"""A moment of the film as pixels: what never changes is drawn once, the rest on top of it.

The plane is on the left; beside it the curves of the convergence proof, where a line separates, and
E_in of PLA and of the pocket.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import Floats
from separatrix.kernels.exact import signed_scores
from separatrix.learners._stopping import Stopped
from separatrix.report.animation.film import Film, Moment
from separatrix.report.drawing import style
from separatrix.report.drawing.window import Vectors, window_around

Pixels = NDArray[np.uint8]  # (H, W, 3) or (H, W, 4)

WIDTH, HEIGHT, DPI = 680, 412, 94  # pixels, and dots per inch; larger films are as sharp
FONT, FONT_OF_CURVES = 9.0, 8.5
PLANE = (0.085, 0.115, 0.545, 0.665)  # of the figure: left, bottom, width, height
SHAPE = PLANE[2] * WIDTH / (PLANE[3] * HEIGHT)
LEFT, WIDTH_OF_CURVES, BOTTOM, TOP, GAP = 0.715, 0.27, 0.115, 0.845, 0.105
MOST_POINTS = 400  # of a class that are drawn; more would be one cloud
MOST_POINTS_OF_CURVES = 600  # of a curve; a panel has fewer pixels
TEXTS = (  # x, y, size, weight: each at a place of its own, so that a longer one moves no other
    (0.015, 0.985, FONT + 1.5, "bold"),
    (0.33, 0.985, FONT + 1.5, "bold"),
    (0.715, 0.985, FONT + 1.5, "bold"),
    (0.015, 0.93, FONT, "normal"),
    (0.4, 0.93, FONT, "normal"),
)
TINT = 0.09  # of blue over white: YES_SIDE


class Scene:
    """The stage of one film; `at` draws a moment and returns its pixels (H, W, 4), to be copied."""

    def __init__(self, film: Film, width: int = WIDTH) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.film, self.window = film, window_around(film.plane.points, equal=True, shape=SHAPE)
        dpi = DPI * width / WIDTH
        height = 2 * round(HEIGHT * width / WIDTH / 2)
        self.figure = Figure(figsize=(width / dpi, height / dpi), dpi=dpi)
        canvas: Any = FigureCanvasAgg(self.figure)
        self.canvas = canvas
        self.ax: Untyped = self.figure.add_axes(PLANE)
        self._stage()
        self._actors()
        self.curves = self._curves()
        self.canvas.draw()
        self.empty = self.with_words = self.canvas.copy_from_bbox(self.figure.bbox)

    def at(self, moment: Moment) -> Pixels:
        """Return the picture of a moment; the next one is drawn over it."""
        film, t = self.film, moment.t
        self._write((*counts(film, moment), *sentence(film, moment)))
        before = film.path[t]
        step = film.path[min(t + 1, film.n_updates)] - before
        shown = [self.side, self.pocket, self.line]
        ends, side = self.window.cut(before + moment.part * step)
        self.side.set_xy(side if len(side) else np.empty((0, 2)))
        self.line.set_data(*ends.T)
        self.pocket.set_data(*self.window.cut(film.path[film.pocket[t]])[0].T)
        shown += self.vectors.at(before, step)
        if t < film.n_updates:
            row = film.rows[t]
            for artist in (self.ring, self.found[int(film.y[row])]):
                artist.set_data(*film.plane.points[[row]].T)
                shown.append(artist)
        seen = np.append(self.steps[self.steps < t], t)
        for curve, values in self.curves:
            curve.set_data(seen, values[seen])
            shown.append(curve)
        for artist in shown:
            self.figure.draw_artist(artist)
        return np.asarray(self.canvas.buffer_rgba())

    def _write(self, words: tuple[str, ...]) -> None:
        """Go back to the stage with these words on it, drawn once for moments that share them."""
        if words != tuple(text.get_text() for text in self.texts):
            self.canvas.restore_region(self.empty)
            for text, said in zip(self.texts, words, strict=True):
                text.set_text(said)
                self.figure.draw_artist(text)
            self.with_words = self.canvas.copy_from_bbox(self.figure.bbox)
        self.canvas.restore_region(self.with_words)

    def _stage(self) -> None:
        """Draw what stays: the window, the points, the legend."""
        ax, film = self.ax, self.film
        self.window.show_on(ax)
        ax.set_anchor("SW")
        for axis, name in zip((ax.xaxis, ax.yaxis), film.plane.names, strict=True):
            axis.set_label_text(style.plain(name, 48), fontsize=FONT)
            style.whole_ticks(axis)
        ax.tick_params(labelsize=FONT - 1)
        style.tidy(ax)
        for sign in style.COLOURS:
            rows = np.flatnonzero(film.y == sign)
            every = max(1, -(-rows.size // MOST_POINTS))
            drawn = f", 1 in {every:,} drawn" if every > 1 else ""
            name = style.class_name(sign, film.labels, 18)
            ax.scatter(
                *film.plane.points[rows[::every]].T, label=f"{name} ({rows.size:,}{drawn})",
                zorder=3, **style.markers(sign, min(film.y.size, 2 * MOST_POINTS)),
            )  # fmt: skip
        ax.plot([], [], color=style.LINE, linewidth=2.0, label="PLA's line")
        ax.plot([], [], color=style.POCKET, linewidth=2.0, linestyle="--", label="pocket's line")
        self.figure.legend(
            *ax.get_legend_handles_labels(), loc="upper left", bbox_to_anchor=(0.075, 0.885),
            ncols=2, frameon=False, fontsize=FONT - 0.5, handletextpad=0.4, borderaxespad=0.0,
            columnspacing=1.2, labelspacing=0.3,
        )  # fmt: skip

    def _actors(self) -> None:
        """Make what moves in the plane; it takes no part in the first drawing."""

        def actor(**look: Untyped) -> Untyped:
            return self.ax.plot([], [], animated=True, **look)[0]

        (self.side,) = self.ax.fill([], [], color=style.YES, alpha=TINT, lw=0, animated=True)
        self.line = actor(color=style.LINE, linewidth=2.0)
        self.pocket = actor(color=style.POCKET, linewidth=2.0, linestyle="--")
        hollow: dict[str, Any] = {"markerfacecolor": "none", "linestyle": "none"}
        self.ring = actor(
            marker="o", markersize=15, markeredgewidth=2.0, markeredgecolor=style.ARROW, **hollow
        )
        # the row itself, which need not be among the points drawn
        self.found = {
            sign: actor(marker=marker, color=colour, markersize=5, markeredgewidth=1.4, **hollow)
            for sign, marker, colour in ((1, "o", style.YES), (-1, "x", style.NO))
        }
        self.texts = [
            self.figure.text(x, y, "", size=size, va="top", fontweight=weight, animated=True)
            for x, y, size, weight in TEXTS
        ]
        self.vectors = Vectors(self.ax, self.window, animated=True)

    def _curves(self) -> list[tuple[Untyped, Floats]]:
        """Draw the panels one below the other; return the curves that grow, with their values."""
        film, growth = self.film, self.film.growth
        self.steps = np.unique(np.linspace(0, film.n_updates, MOST_POINTS_OF_CURVES).astype(int))
        e_in = film.mistakes / film.y.size
        panels: list[tuple[str, list[Floats], Floats | None]] = [
            ("w_f·w_t  ≥  t ρ |w_f|", [growth.inner], growth.inner_lower),
            ("|w_t|²  ≤  t R²", [growth.length_squared], growth.length_squared_upper),
            ("E_in of PLA, and of the pocket", [e_in, e_in[film.pocket]], None),
        ]
        panels = panels[film.target is None :]
        height = (TOP - BOTTOM - GAP * (len(panels) - 1)) / len(panels)
        grow = []
        for k, (title, drawn, bound) in enumerate(panels):
            bottom = TOP - (k + 1) * height - k * GAP
            axes = self.figure.add_axes((LEFT, bottom, WIDTH_OF_CURVES, height))
            axes.set_title(style.symbols(title), fontsize=FONT_OF_CURVES, loc="left", pad=3)
            axes.tick_params(labelsize=FONT_OF_CURVES - 1, labelbottom=k == len(panels) - 1)
            style.tidy(axes)
            style.whole_ticks(axes.yaxis)
            looks = ((style.YES, "-"), (style.POCKET, "--"))
            for values, (colour, dashes) in zip(drawn, looks, strict=False):
                # the whole curve faintly, so that the eye knows where it goes
                axes.plot(self.steps, values[self.steps], color=colour, linewidth=0.8, alpha=0.25)
                look: dict[str, Any] = {"color": colour, "linestyle": dashes, "linewidth": 1.6}
                grow.append((axes.plot([], [], animated=True, **look)[0], values))
            highest = max(float(values.max()) for values in drawn)
            lowest = min(0.0, *(float(values.min()) for values in drawn))
            if bound is not None:
                axes.plot(self.steps, bound[self.steps], color=style.BOUND, linestyle=":")
                if bound.max() < 8.0 * max(highest, 5e-324):
                    highest = max(highest, float(bound.max()))
            room = 0.06 * max(highest - lowest, 1e-12)
            axes.set_ylim(lowest - room, highest + room)
            axes.locator_params(axis="x", integer=True)
            axes.set_xlim(*(max(film.n_updates, 1) * np.array([-0.02, 1.02])))
        axes.set_xlabel("updates t", fontsize=FONT_OF_CURVES)
        return grow


def counts(film: Film, moment: Moment) -> tuple[str, str, str]:
    """Return how far the film is, and the mistakes of PLA and pocket."""
    wrong = film.mistakes[moment.t]
    best = film.mistakes[film.pocket[moment.t]]
    return (
        f"update {moment.t:,} of {film.n_updates:,}",
        f"PLA: {wrong:,} of {film.y.size:,} wrong",
        f"pocket: {best:,} wrong",
    )


def sentence(film: Film, moment: Moment) -> tuple[str, str]:
    """Return what happens, and to which row."""
    if moment.t == film.n_updates:
        return _ending(film), ""
    row = film.rows[moment.t]
    sign, answer = ("+", "yes") if film.y[row] > 0 else ("−", "no")
    one = np.ascontiguousarray(film.plane.points[[row]])
    score = float(signed_scores(one, 1, film.path[moment.t], 1.0)[0])
    where = "= 0" if score == 0.0 else "< 0" if score < 0.0 else "> 0"
    said = f"mistake: {answer}, but score {where}.  w′ = w {sign} x"
    return said, f"{film.line_word} {film.lines[row]}"


def _ending(film: Film) -> str:
    if film.stopped is Stopped.CLEAN_PASS:
        return f"{film.stopped}: PLA stops, and the line separates"
    known: dict[bool | None, str] = {
        True: "a line does separate these points",
        False: "no line separates these points",
    }
    return f"{film.stopped}; {known.get(film.separable, 'undecided whether a line separates')}"
