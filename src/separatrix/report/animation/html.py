"""Frames as a page: play, step, back, a slider; one file that asks no host for anything."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterable

import numpy as np

from separatrix.report.animation.film import Film, Moment
from separatrix.report.animation.gif import UNCHANGED, Palette, Pixels, changed_box
from separatrix.report.animation.plane import STANDARDISED
from separatrix.report.animation.words import counts, sentence
from separatrix.report.inline import digest_of, harmless, own_text, templates
from separatrix.report.wording import plain


def html_bytes(
    frames: Iterable[tuple[Pixels, int]], film: Film, palette: Palette, size: tuple[int, int]
) -> bytes:
    """Return frames of (width, height) with their milliseconds as a page that plays them.

    The first frame is a picture, each other one the smallest rectangle that changed.
    """
    patches, before = [], None
    for pixels, milliseconds in frames:
        now = palette.positions(pixels)
        left, top, part = (0, 0, now) if before is None else changed_box(before, now)
        patches.append((left, top, milliseconds, _png(part, palette)))
        before = now
    said = [_in_words(film, moment) for moment in film.moments]
    names, scaled = film.plane.names, ""
    if all(name.endswith(STANDARDISED) for name in names):  # said once
        names = (names[0].removesuffix(STANDARDISED), names[1].removesuffix(STANDARDISED))
        scaled = STANDARDISED
    package = "separatrix.report.animation"
    style, script = own_text(package, "film.css"), own_text(package, "film.js")
    page = (
        templates(package)
        .get_template("film.html.j2")
        .render(
            style=style,
            style_hash=digest_of(style),
            script=script,
            script_hash=digest_of(script),
            width=size[0],
            height=size[1],
            summary=film.summary,
            names=[plain(name) for name in names],
            scaled=scaled,
            said=list(dict.fromkeys(said)),
            last=f"data:image/png;base64,{_png(before, palette)}",
            data=harmless(json.dumps({"patches": patches, "said": said}, separators=(",", ":"))),
        )
    )
    return str(page).encode()


def _in_words(film: Film, moment: Moment) -> str:
    """Return what stands over a moment, as one line."""
    said = [*counts(film, moment), *sentence(film, moment)]
    return "; ".join(" ".join(text.split()) for text in said if text)


def _png(positions: Pixels | None, palette: Palette) -> str:
    """Return positions (H, W) of colours as a picture, in letters."""
    from PIL import Image

    assert positions is not None  # noqa: S101  # a film has a frame
    height, width = positions.shape
    image = Image.frombytes("P", (width, height), np.ascontiguousarray(positions).tobytes())
    image.putpalette(palette.bytes())
    stream = io.BytesIO()
    image.save(stream, "PNG", transparency=UNCHANGED, compress_level=9)
    return base64.b64encode(stream.getvalue()).decode()
