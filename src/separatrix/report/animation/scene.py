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
from separatrix.report.drawing.window import Vectors, Window, window_around

Pixels = NDArray[np.uint8]  # (H, W, 3) or (H, W, 4)

WIDTH, HEIGHT, DPI = 680, 412, 94  # pixels, and dots per inch; larger films are as sharp
FONT = 9.0
PLANE = (0.085, 0.115, 0.545, 0.665)  # of the figure: left, bottom, width, height
SHAPE = PLANE[2] * WIDTH / (PLANE[3] * HEIGHT)
MOST_POINTS = 400  # of a class that are drawn; more would be one cloud
TEXTS = (  # x, y, size, weight
    (0.015, 0.985, FONT + 1.5, "bold"),
    (0.33, 0.985, FONT + 1.5, "bold"),
    (0.715, 0.985, FONT + 1.5, "bold"),
    (0.015, 0.93, FONT, "normal"),
    (0.4, 0.93, FONT, "normal"),
)
LINE_OF_TEXT = 22  # pixels of a film of that width
PAPERS = ("#ffffff", style.YES_SIDE)
# strengths of each colour at soft edges: two more would make films a tenth larger
INKS = {style.LINE: 3, style.YES: 2, style.NO: 2, style.POCKET: 2, style.ARROW: 2}


class Scene:
    """The stage of one film; `at` draws a moment and returns its pixels (H, W, 4), to be copied."""

    def __init__(self, film: Film, width: int = WIDTH) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.film = film
        self.window: Window = window_around(film.plane.points, equal=True, shape=SHAPE)
        self.width, self.height = width, 2 * round(HEIGHT * width / WIDTH / 2)
        dpi = DPI * width / WIDTH
        self.figure = Figure(figsize=(self.width / dpi, self.height / dpi), dpi=dpi)
        canvas: Any = FigureCanvasAgg(self.figure)
        self.ax: Untyped = self.figure.add_axes(PLANE)
        self._stage()
        self.curves = Curves(self.figure, film)
        self._actors()
        self.vectors = Vectors(self.ax, self.window, animated=True)
        self.written: dict[tuple[int, str], tuple[tuple[slice, slice], Pixels]] = {}
        canvas.draw()
        # a view of the canvas's own memory: writing here is drawing there
        self.pixels: Pixels = np.asarray(canvas.buffer_rgba())
        self.plain = self.pixels.copy()
        self.tinted, self.box, self.grid = self._yes_side()

    def at(self, moment: Moment) -> Pixels:
        """Return the picture of a moment; the next one is drawn over it."""
        w, step = self._weights(moment)
        np.copyto(self.pixels, self.plain)
        a, b = self.grid
        yes = (w[0] + w[1] * a)[np.newaxis, :] + (w[2] * b)[:, np.newaxis] > 0.0
        np.copyto(_whole(self.pixels)[self.box], _whole(self.tinted)[self.box], where=yes)
        for artist in self._placed(moment, w, step):
            self.ax.draw_artist(artist)
        for axes, artist in self.curves.at(moment.t):
            axes.draw_artist(artist)
        words = (*counts(self.film, moment), *sentence(self.film, moment))
        for k, said in enumerate(words):
            if said:
                self._say(k, said)
        return self.pixels

    def _say(self, k: int, said: str) -> None:
        """Write a text into its place; one that was written before is copied."""
        left = round(TEXTS[k][0] * self.width) - 2
        top = round((1.0 - TEXTS[k][1]) * self.height)
        if (k, said) not in self.written:
            text = self.texts[k]
            text.set_text(said)
            self.figure.draw_artist(text)
            extent = text.get_window_extent()
            place = (
                slice(top, top + round(LINE_OF_TEXT * self.width / WIDTH)),
                slice(left, int(extent.x1) + 3),
            )
            self.written[k, said] = place, self.pixels[place].copy()
        place, block = self.written[k, said]
        self.pixels[place] = block

    # ------------------------------------------------------------ what stays

    def _stage(self) -> None:
        ax, film = self.ax, self.film
        self.window.show_on(ax)
        ax.set_anchor("SW")
        names = [style.plain(name, 48) for name in film.plane.names]
        ax.set_xlabel(names[0], fontsize=FONT)
        ax.set_ylabel(names[1], fontsize=FONT)
        ax.tick_params(labelsize=FONT - 1)
        style.whole_ticks(ax.xaxis)
        style.whole_ticks(ax.yaxis)
        style.tidy(ax)
        n = film.y.size
        for sign in style.COLOURS:
            rows = np.flatnonzero(film.y == sign)
            every = max(1, -(-rows.size // MOST_POINTS))
            kept = rows[::every]
            drawn = f", 1 in {every:,} drawn" if every > 1 else ""
            name = style.class_name(sign, film.labels, 18)
            ax.scatter(
                *film.plane.points[kept].T, label=f"{name} ({rows.size:,}{drawn})",
                zorder=3, **style.markers(sign, min(n, 2 * MOST_POINTS)),
            )  # fmt: skip
        ax.plot([], [], color=style.LINE, linewidth=2.0, label="PLA's line")
        ax.plot([], [], color=style.POCKET, linewidth=2.0, linestyle="--", label="pocket's line")
        self.figure.legend(
            *ax.get_legend_handles_labels(), loc="upper left", bbox_to_anchor=(0.075, 0.885),
            ncols=2, frameon=False, fontsize=FONT - 0.5, handletextpad=0.4, borderaxespad=0.0,
            columnspacing=1.2, labelspacing=0.3,
        )  # fmt: skip

    def _yes_side(self) -> tuple[Pixels, tuple[slice, slice], tuple[Floats, Floats]]:
        """Return the stage tinted, the box of the plane in it, and the plane's coordinates there.

        Every pixel of the box stands for a point of the plane: the yes side is a comparison.
        """
        edges = self.ax.get_window_extent()
        left, right = round(edges.x0), round(edges.x1)
        top, bottom = self.height - round(edges.y1), self.height - round(edges.y0)
        box = slice(top, bottom), slice(left, right)
        tinted = self.plain.copy()
        # the empty paper only: points keep their colours, and the film is a fifth smaller
        tinted[(tinted[..., :3] == 255).all(axis=-1), :3] = rgb(style.YES_SIDE)
        across = (np.arange(left, right) + 0.5 - edges.x0) / edges.width
        down = (self.height - np.arange(top, bottom) - 0.5 - edges.y0) / edges.height
        low, size = self.window.low, self.window.size
        return tinted, box, (low[0] + across * size[0], low[1] + down * size[1])

    # ------------------------------------------------------------ what moves

    def _actors(self) -> None:
        ax = self.ax
        # nothing that is placed later takes part in the first drawing
        common: dict[str, Any] = {"animated": True}
        (self.line,) = ax.plot([], [], color=style.LINE, linewidth=2.0, **common)
        (self.pocket,) = ax.plot(
            [], [], color=style.POCKET, linewidth=2.0, linestyle="--", **common
        )
        (self.ring,) = ax.plot(
            [], [], marker="o", markersize=15, markerfacecolor="none", markeredgewidth=2.0,
            markeredgecolor=style.ARROW, linestyle="none", **common,
        )  # fmt: skip
        # the row itself, which need not be among the points drawn
        self.found = {
            sign: ax.plot(
                [], [], marker=marker, color=colour, markerfacecolor="none", markersize=5,
                markeredgewidth=1.4, linestyle="none", **common,
            )[0]
            for sign, marker, colour in ((1, "o", style.YES), (-1, "x", style.NO))
        }  # fmt: skip
        # each at a place of its own, so that a longer number moves no other word
        self.texts = [
            self.figure.text(x, y, "", fontsize=size, va="top", fontweight=weight, **common)
            for x, y, size, weight in TEXTS
        ]

    def _weights(self, moment: Moment) -> tuple[Floats, Floats]:
        """Return w of a moment (3,), and what is being added to w_t."""
        film = self.film
        if moment.t == film.n_updates:
            return film.path[-1], np.zeros(3)
        before, after = film.path[moment.t], film.path[moment.t + 1]
        return before + moment.part * (after - before), after - before

    def _placed(self, moment: Moment, w: Floats, step: Floats) -> list[Untyped]:
        """Return what moves, each in its place."""
        shown: list[Untyped] = []
        best = self.film.path[self.film.pocket[moment.t]]
        for artist, weights in ((self.pocket, best), (self.line, w)):
            ends, _ = self.window.cut(weights)
            artist.set_data(*ends.T)
            shown.append(artist)
        shown += self.vectors.at(self.film.path[moment.t], step)
        if moment.t < self.film.n_updates:
            row = self.film.rows[moment.t]
            point = self.film.plane.points[[row]].T
            for artist in (self.ring, self.found[int(self.film.y[row])]):
                artist.set_data(*point)
                shown.append(artist)
        return shown


def _whole(pixels: Pixels) -> NDArray[np.uint32]:
    """Return pixels (H, W, 4) as one number each, (H, W): copied in a quarter of the time."""
    return pixels.view(np.uint32)[..., 0]


def rgb(colour: str) -> Floats:
    """Return a colour "#rrggbb" as three numbers."""
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], dtype=np.float64)


LEFT, WIDTH_OF_CURVES, BOTTOM, TOP, GAP = 0.715, 0.27, 0.115, 0.845, 0.105
FONT_OF_CURVES = 8.5
MOST_POINTS_OF_CURVES = 600  # of a curve; a panel has fewer pixels


class Curves:
    """Panels one below the other; `at` returns their moving curves up to t."""

    def __init__(self, figure: Untyped, film: Film) -> None:
        self.steps = np.unique(np.linspace(0, film.n_updates, MOST_POINTS_OF_CURVES).astype(int))
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
            axes = figure.add_axes((LEFT, bottom, WIDTH_OF_CURVES, height))
            self._panel(axes, title, drawn, bound, film.n_updates)
            axes.tick_params(labelsize=FONT_OF_CURVES - 1, labelbottom=k == len(panels) - 1)
        axes.set_xlabel("updates t", fontsize=FONT_OF_CURVES)

    def _panel(  # one line of the table above
        self,
        axes: Untyped,
        title: str,
        drawn: list[tuple[Floats, str, str]],
        bound: Floats | None,
        last: int,
    ) -> None:
        axes.set_title(style.symbols(title), fontsize=FONT_OF_CURVES, loc="left", pad=3)
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
