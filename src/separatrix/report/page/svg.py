"""Drawings made to fit the page: small, the same bytes each time, in the page's own colours.

Matplotlib writes styles, which the page's policy forbids, and colours that the dark cannot change.
Here every style becomes an attribute, every colour of ours a variable of the page's style sheet,
every number short, and every id one of this drawing alone.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from markupsafe import Markup

from separatrix.report.drawing.style import as_it_comes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINK = "{http://www.w3.org/1999/xlink}href"
NUMBER = re.compile(r"-?\d+\.\d+")
REFERENCE = re.compile(r"(?<=url\(#)[^)]+(?=\))")
TEXT_SIZE = re.compile(r"(\d+(?:\.\d+)?)px")

INK = "#010203"  # stands for the colour of text while matplotlib draws
SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.id": None,
    "font.size": 11.0,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "legend.facecolor": "none",
    "legend.edgecolor": "none",
    "axes.unicode_minus": True,
}
DRAWN_ATTRIBUTES = (
    "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap",
    "stroke-linejoin", "opacity", "fill-opacity", "stroke-opacity", "text-anchor", "font-weight",
)  # fmt: skip


def drawn(
    draw: Callable[[Axes], object],
    *,
    name: str,
    title: str,
    described: str,
    size: tuple[float, float],
    colours: Mapping[str, str],
) -> Markup:
    """Return what `draw` draws on the axes it is given, as an <svg> element for the page."""
    return Markup(_tidied(_raw(draw, name, size), name, title, described, colours))  # noqa: S704  # built by ElementTree, which escapes


def _raw(draw: Callable[[Axes], object], name: str, size: tuple[float, float]) -> str:
    from matplotlib.figure import Figure

    with as_it_comes() as settings:
        settings.update({k: v for k, v in SETTINGS.items() if k in settings})
        settings["svg.hashsalt"] = name
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.add_subplot())
        stream = io.StringIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the page's fonts have the glyphs
            figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return stream.getvalue()


def _tidied(text: str, name: str, title: str, described: str, colours: Mapping[str, str]) -> str:
    root = ET.fromstring(text)  # noqa: S314  # written by matplotlib just now
    box = root.get("viewBox", "")
    for parent in root.iter():
        for child in list(parent):
            if _local(child) in ("metadata", "style"):
                parent.remove(child)
    ids = _ids(root, name)
    for element in root.iter():
        _tidy(element, ids, {INK: "currentColor", **colours})
    for parent in root.iter():
        _merge(parent)
        _share(parent)
    root.attrib.clear()
    root.attrib |= {
        "viewBox": box, "role": "img", "aria-labelledby": f"{name}-title {name}-text",
    }  # fmt: skip
    for tag, own, words in (("desc", "text", described), ("title", "title", title)):
        element = ET.Element(tag, {"id": f"{name}-{own}"})
        element.text = words
        root.insert(0, element)
    return ET.tostring(root, encoding="unicode").replace(" />", "/>")


def _local(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def _ids(root: ET.Element, name: str) -> dict[str, str]:
    """Return a short id of this drawing's own for each that something refers to."""
    used: dict[str, str] = {}
    for element in root.iter():
        found = [i for value in element.attrib.values() for i in REFERENCE.findall(value)]
        for i in [*found, element.get(LINK, "").removeprefix("#")]:
            if i:
                used.setdefault(i, f"{name}-{len(used)}")
    return used


def _tidy(element: ET.Element, ids: Mapping[str, str], colours: Mapping[str, str]) -> None:
    """Make one element the page's own."""
    if not (element.text or "").strip():
        element.text = None
    element.tail = None
    element.tag = _local(element)
    given = {**element.attrib, **_attributes(element.attrib.pop("style", ""))}
    link, own = given.pop(LINK, "").removeprefix("#"), given.pop("id", "")
    given.pop("style", None)
    element.attrib.clear()
    if own in ids:
        element.set("id", ids[own])
    if link:
        element.set("href", f"#{ids[link]}")
    for key, value in given.items():
        changed = colours.get(value.lower(), value)
        if REFERENCE.search(changed):
            element.set(key, REFERENCE.sub(lambda found: ids[found.group()], changed))
        else:
            element.set(key, NUMBER.sub(_short, changed))


def _attributes(style: str) -> dict[str, str]:
    """Return the parts of a style that a drawing needs, as attributes."""
    found = {}
    for part in style.split(";"):
        key, _, value = (text.strip() for text in part.partition(":"))
        if key in ("font", "font-size"):
            size = TEXT_SIZE.search(value)
            found["font-size"] = size.group(1) if size else "10"
        elif key in DRAWN_ATTRIBUTES:
            found[key] = value
    return found


def _merge(parent: ET.Element) -> None:
    """Put marks that matplotlib wraps one by one, all alike, into one group."""
    kept: list[ET.Element] = []
    for child in parent:
        if kept and _all_marks(child) and _all_marks(kept[-1]) and kept[-1].attrib == child.attrib:
            kept[-1].extend(child)
        else:
            kept.append(child)
    parent[:] = kept


def _all_marks(element: ET.Element) -> bool:
    return element.tag == "g" and len(element) > 0 and all(mark.tag == "use" for mark in element)


def _share(parent: ET.Element) -> None:
    """Say once, on the group, what all its marks have in common."""
    if not _all_marks(parent):
        return
    marks = list(parent)
    for key in sorted(set(marks[0].attrib) - {"x", "y", "href", "id"}):
        if len({mark.get(key) for mark in marks}) == 1 and key not in parent.attrib:
            parent.set(key, marks[0].attrib[key])
            for mark in marks:
                del mark.attrib[key]


def _short(number: re.Match[str]) -> str:
    """Return a number of points to a tenth: finer than any screen shows."""
    text = f"{float(number.group()):.1f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
