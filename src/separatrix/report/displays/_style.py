"""How every picture looks: o for yes, x for no, colours that all eyes tell apart; and the axes.

The colours are those of Okabe & Ito (2008); no picture needs them, for shapes, dashes and words say
the same. Nothing global is set: a picture leaves matplotlib as it found it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from separatrix.data import Floats, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

YES, NO = "#0072B2", "#D55E00"  # blue, vermilion
LINE, POCKET, ARROW = "#222222", "#009E73", "#9B3F7F"  # near black, green, purple
BOUND, QUIET = "#8A8A8A", "#5F5F5F"
YES_SIDE = "#E8F2F9"
MARKERS: dict[int, dict[str, Any]] = {
    1: {"marker": "o", "facecolors": "none", "edgecolors": YES, "linewidths": 1.4, "s": 30},
    -1: {"marker": "x", "color": NO, "linewidths": 1.4, "s": 30},
}
RING: dict[str, Any] = {
    "marker": "s",
    "facecolors": "none",
    "edgecolors": LINE,
    "linewidths": 1.1,
    "s": 110,
}
LEGEND: dict[str, Any] = {
    "frameon": False,
    "fontsize": "small",
    "handletextpad": 0.5,
    "borderaxespad": 0.2,
}
SIZE = (6.0, 4.8)


def axes_or_new(ax: Axes | None, size: tuple[float, float] = SIZE) -> Axes:
    """Return the axes, or those of a new figure of pyplot's, as scikit-learn's displays do."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    made: Axes = plt.subplots(figsize=size, layout="constrained")[1]
    return made


def plain(name: object, most: int = 32) -> str:
    """Return a user's text such that matplotlib draws it as it is: short, printable, never maths.

    An escaped dollar is drawn as a dollar, and without a bare one nothing else is special.
    """
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(name))
    return shortened(text, most).replace("$", r"\$")


def tidy(ax: Axes) -> None:
    """Take away what says nothing: the frame above and to the right."""
    ax.spines[["top", "right"]].set_visible(False)


def legend_above(ax: Axes, columns: int = 2) -> None:
    """Put the legend over the axes, where it hides no point."""
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns, **LEGEND)


def halo(ax: Axes, text: str, at: Floats, shift: Floats, colour: str) -> Annotation:
    """Write a word beside a point, on a white halo that keeps it readable over anything."""
    from matplotlib.patheffects import withStroke

    word = ax.annotate(
        text, xy=(at[0], at[1]), xytext=(shift[0], shift[1]), textcoords="offset points",
        color=colour, fontweight="bold", ha="center", va="center", annotation_clip=False, zorder=6,
    )  # fmt: skip
    word.set_path_effects([withStroke(linewidth=3.0, foreground="white")])
    return word
