"""Matplotlib's SVG made to fit the page: the page's policy forbids styles, and its colours change.

Every style becomes attributes, every colour of ours a variable of the page's style sheet, every
number short, and every id one of this drawing alone.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from separatrix._types import Untyped
from separatrix.report.drawing import style

INK = "#010203"  # stands for the colour of text while matplotlib draws
SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none", "svg.id": None, "font.size": 11.0, "text.color": INK,
    "axes.edgecolor": INK, "axes.labelcolor": INK, "axes.titlecolor": INK, "xtick.color": INK,
    "ytick.color": INK, "axes.facecolor": "none", "figure.facecolor": "none",
    "legend.facecolor": "none", "legend.edgecolor": "none", "axes.unicode_minus": True,
}  # fmt: skip
COLOURS = {  # as matplotlib writes them
    INK: "currentColor",
    style.YES.lower(): "var(--yes)",
    style.NO.lower(): "var(--no)",
    style.LINE.lower(): "currentColor",
    style.POCKET.lower(): "var(--pocket)",
    style.ARROW.lower(): "var(--arrow)",
    style.BOUND.lower(): "var(--quiet)",
    style.QUIET.lower(): "var(--quiet)",
    style.YES_SIDE.lower(): "var(--yes-side)",
    "#ffffff": "var(--paper)",
    "#000000": "currentColor",
}
UNUSED = re.compile(r"<metadata>.*?</metadata>|<style.*?</style>|(?<=>)\s+(?=<)", re.DOTALL)
REFERENCE = re.compile(r'(?<=url\(#)[^)]+|(?<=xlink:href="#)[^"]+')
PLACE = r'<use href="[^"]*" x="[^"]*" y="[^"]*"'
ALIKE = re.compile(rf'<g( clip-path="[^"]*")>({PLACE}( [^/]*)/>(?:{PLACE}\3/>)+)</g>')


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing, and what is said below it."""

    svg: Markup
    caption: str
    axis: tuple[float, ...] = ()


def drawn(  # noqa: PLR0917  # what every picture has
    draw: Callable[[Untyped], object],
    name: str,
    title: str,
    size: tuple[float, float],
    caption: str,
    described: str = "",
) -> Picture:
    """Return what `draw` draws on the axes it is given; blind readers are told its description."""
    from matplotlib.figure import Figure

    stream = io.StringIO()
    with style.as_it_comes() as settings, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the page's fonts have the glyphs
        settings.update({k: v for k, v in SETTINGS.items() if k in settings})
        settings["svg.hashsalt"] = name
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.add_subplot())
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    text = UNUSED.sub("", stream.getvalue())
    text = text[text.index("<svg") :].strip()
    ids = {own: f"{name}-{k}" for k, own in enumerate(dict.fromkeys(REFERENCE.findall(text)))}
    body = re.sub(
        r"<[^>]+>",
        lambda tag: _tidy(tag[0], ids),
        text[text.index(">") + 1 :],
    )
    # matplotlib wraps marks one by one, and repeats what all of them look like
    body = re.sub(r"(<use [^>]*>)</g><g clip-path=[^>]*>(?=<use )", r"\1", body)
    body = ALIKE.sub(lambda g: f"<g{g[1]}{g[3]}>{g[2].replace(g[3], '')}</g>", body)
    box = re.search(r'viewBox="[^"]*"', text)
    head = f'<svg {box[0] if box else ""} role="img" aria-labelledby="{name}-title {name}-text">'
    told = f'<title id="{name}-title">{escape(title)}</title>'
    told += f'<desc id="{name}-text">{escape(described or caption)}</desc>'
    svg = Markup(head + told + body)  # noqa: S704  # matplotlib has escaped what users wrote
    return Picture(svg, caption)


def _tidy(tag: str, ids: Mapping[str, str]) -> str:
    """Return one tag as the page's own."""
    tag = re.sub(r' style="([^"]*)"', lambda style: _attributes(style[1]), tag)
    tag = re.sub(r' id="([^"]*)"', lambda i: f' id="{ids[i[1]]}"' if i[1] in ids else "", tag)
    tag = REFERENCE.sub(lambda found: ids[found[0]], tag).replace("xlink:href", "href")
    tag = re.sub(r"#[0-9a-f]{6}\b", lambda colour: COLOURS.get(colour[0], colour[0]), tag)
    return re.sub(r"-?\d+\.\d+", lambda number: _short(number[0]), tag)


def _attributes(style: str) -> str:
    """Return a style as attributes; the page has a font of its own."""
    parts = dict(part.split(": ", 1) for part in style.split("; "))
    parts.pop("font-family", None)
    if font := parts.pop("font", ""):
        parts["font-size"] = font.partition("px")[0].rpartition(" ")[2]
    return "".join(f' {key}="{value}"' for key, value in parts.items())


def _short(number: str) -> str:
    """Return a number of points to a tenth: finer than any screen shows."""
    text = f"{float(number):.1f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
