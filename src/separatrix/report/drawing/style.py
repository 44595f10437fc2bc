"""How every picture looks: o for yes, x for no, colours that all eyes distinguish; and the axes.

The colours are those of Okabe & Ito (2008); no picture needs them, for shapes, dashes and words say
the same. Nothing global is set: a picture leaves matplotlib as it found it.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np

from separatrix._types import Untyped
from separatrix.data import InputError
from separatrix.report.words import say
from separatrix.tables import wording

YES, NO = "#0072B2", "#D55E00"  # blue, vermilion
LINE, POCKET, ARROW = "#222222", "#009E73", "#9B3F7F"  # near black, green, purple
BOUND, QUIET = "#8A8A8A", "#5F5F5F"
YES_SIDE = "#E8F2F9"
COLOURS = {1: YES, -1: NO}
MARKERS: dict[int, dict[str, Any]] = {
    1: {"marker": "o", "facecolors": "none", "edgecolors": YES, "linewidths": 1.4, "s": 30},
    -1: {"marker": "x", "color": NO, "linewidths": 1.4, "s": 30},
}
LEGEND: dict[str, Any] = {
    "frameon": False,
    "fontsize": "small",
    "handletextpad": 0.5,
    "borderaxespad": 0.2,
}
SIZE = (6.0, 4.8)
FORMATS = (".svg", ".png", ".pdf")
CHINESE_FONTS = "Noto Sans CJK TC", "PingFang TC", "Microsoft JhengHei", "WenQuanYi Zen Hei"
SYMBOLS = {  # the longer ones first
    "w_f·w_t": r"$\mathbf{w}_f \cdot\, \mathbf{w}_t$",
    "w_f": r"$\mathbf{w}_f$",
    "w_t": r"$\mathbf{w}_t$",
    "E_in": r"$E_\mathrm{in}$",
}


@contextmanager
def as_it_comes() -> Iterator[dict[str, Any]]:
    """Draw with matplotlib's own defaults, whatever has been set; yield them, to be changed."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        yield cast("dict[str, Any]", mpl.rcParams)  # its keys are literals to the type checker


def figure_bytes(
    draw: Callable[[Untyped], object],
    size: tuple[float, float],
    kind: str,
    settings: Mapping[str, Any],
    about: Mapping[str, str | None],
) -> bytes:
    """Return what `draw` draws on axes as a file: the same bytes whatever matplotlib is set to."""
    from matplotlib.figure import Figure  # not pyplot: no screen is needed

    out = io.BytesIO()
    with as_it_comes() as known, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of letters that no font here has
        known.update({k: v for k, v in settings.items() if k in known})
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.add_subplot())
        figure.savefig(out, format=kind, dpi=150, metadata=dict(about))
    return out.getvalue()


def picture_bytes(
    draw: Callable[[Untyped], object], size: tuple[float, float], path: str | os.PathLike[str]
) -> bytes:
    """Return what `draw` draws on axes as the kind of file that a name asks for, without dates."""
    from matplotlib.font_manager import get_font_names

    ending = refuse_no_picture(path)
    dates, made = (
        {".svg": "Date", ".pdf": "CreationDate"},
        "Software" if ending == ".png" else "Creator",
    )
    about = {made: "separatrix", **({dates[ending]: None} if ending in dates else {})}
    known = [name for name in CHINESE_FONTS if name in get_font_names()]
    settings = {
        "font.family": ["DejaVu Sans", *known[:1]], "svg.hashsalt": "separatrix",
        "svg.fonttype": "none",
    }  # fmt: skip
    return figure_bytes(draw, size, ending[1:], settings, about)


def refuse_no_picture(path: str | os.PathLike[str]) -> str:
    """Return the ending of a picture's name; `InputError` for another ending."""
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        raise InputError(f"{os.fspath(path)!r}: a picture ends in {', '.join(FORMATS)}.")
    return ending


def axes_or_new(ax: Untyped, size: tuple[float, float] = SIZE) -> Untyped:
    """Return the axes, or those of a new figure of pyplot's, as scikit-learn's displays do."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    made: Untyped = plt.subplots(figsize=size, layout="constrained")[1]
    return made


def solid_axes(ax: Untyped) -> Untyped:
    """Return the axes, which have three dimensions, or those of a new figure of pyplot's."""
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.figure(figsize=SIZE, layout="constrained").add_subplot(projection="3d")
    if ax.name != "3d":
        raise InputError('this picture needs axes made with projection="3d".')
    return ax


def plain(name: object, most: int = 32) -> str:
    """Return a user's text such that matplotlib draws it as it is: short, printable, never maths.

    An escaped dollar is drawn as a dollar, and without a bare one nothing else is special.
    """
    return wording.plain(str(name), most).replace("$", r"\$")


def class_name(sign: int, labels: tuple[str, str], most: int = 32) -> str:
    """Return "yes: good", or "yes" alone where the class is called that."""
    side, name = "yes" if sign > 0 else "no", plain(labels[(sign + 1) // 2], most)
    return (
        name
        if name.casefold() == side
        else say("yes: {name}" if sign > 0 else "no: {name}", name=name)
    )


def markers(sign: int, n: int) -> dict[str, Any]:
    """Return how one of n points is drawn: o for yes, x for no, smaller where there are many."""
    size = _area(n)
    return {**MARKERS[sign], "s": size, "linewidths": 1.4 if size > 15.0 else 0.9}


def ring(n: int) -> dict[str, Any]:
    """Return how a mistake among n points is marked."""
    return {"marker": "s", "facecolors": "none", "edgecolors": LINE, "linewidths": 1.0,
            "s": 20.0 + 2.5 * _area(n)}  # fmt: skip


def _area(n: int) -> float:
    """Return the area of a marker of one of n points, in square points."""
    return float(np.clip(30.0 * (150.0 / max(n, 1)) ** 0.5, 6.0, 36.0))


def side_by_side(ax: Untyped, count: int, size: tuple[float, float]) -> list[Untyped]:
    """Return `count` axes in one row: those given, or a new figure's."""
    import matplotlib.pyplot as plt

    made = plt.subplots(1, count, figsize=size, layout="constrained")[1] if ax is None else ax
    if len(np.ravel(made)) != count:
        raise InputError(f"ax holds {len(np.ravel(made))} axes; this picture has {count} parts.")
    return list(np.ravel(made))


def tidy(ax: Untyped) -> None:
    """Take away what says nothing: the frame above and to the right."""
    ax.spines[["top", "right"]].set_visible(False)


def whole_ticks(axis: Untyped) -> None:
    """Write every tick in full: a common factor would stand over the axis, in the legend."""
    axis.set_major_formatter(lambda value, _: f"{value:.10g}".replace("-", "\N{MINUS SIGN}"))


def log_ticks(axis: Untyped) -> None:
    """Write the ticks of a logarithmic axis as plain numbers, and so few that they do not meet."""
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    parts = (1.0, 2.0, 5.0) if high < 40.0 * low else (1.0,)
    axis.set_major_locator(LogLocator(subs=parts))
    axis.set_minor_formatter(NullFormatter())
    whole_ticks(axis)


def legend_above(ax: Untyped, columns: int = 2, handles: Sequence[Any] | None = None) -> None:
    """Put the legend over the axes, where it hides no point; titles set later stand over it."""
    given: dict[str, Any] = {} if handles is None else {"handles": handles}
    legend = ax.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.01), ncols=columns, **given, **LEGEND
    )
    reserved = ax.inset_axes((0.0, 1.0, 1.0, 0.0))  # invisible axes, which titles keep off
    reserved.set_visible(False)
    reserved.set_in_layout(False)
    reserved.get_window_extent = legend.get_window_extent


def finish(ax: Untyped, across: str, up: str) -> None:
    """Name the axes, and put the legend above them."""
    ax.set_xlabel(across)
    ax.set_ylabel(up)
    tidy(ax)
    legend_above(ax)


def symbols(text: str) -> str:
    """Return our own words with w_f, w_t and E_in set as mathematics; never a user's text."""
    for name, drawn in SYMBOLS.items():
        text = text.replace(name, drawn)
    return text
