"""Frames as a GIF, with one palette for all so that the same frames are the same bytes; as MP4."""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import Floats, InputError

COLOURS = 31  # Pillow takes one more, which means "as before"

Pixels = NDArray[np.uint8]  # (H, W, 3) or (H, W, 4)


def palette_of(paper: Sequence[str], inks: Mapping[str, int]) -> list[int]:
    """Return the papers, and each ink in its number of strengths on the first of them: (31 x 3)."""
    white = rgb(paper[0])
    table = [rgb(colour) for colour in paper]
    for ink, strengths in inks.items():
        table += [white + (rgb(ink) - white) * k / strengths for k in range(1, strengths + 1)]
    if len(table) > COLOURS:
        raise ValueError(f"{len(table)} colours; a palette has {COLOURS}")
    table += [white] * (COLOURS - len(table))
    return [int(part) for part in np.round(np.ravel(table))]


def rgb(colour: str) -> Floats:
    """Return a colour "#rrggbb" as three numbers."""
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], dtype=np.float64)


def in_colours(pixels: Pixels, palette: list[int]) -> Untyped:
    """Return Pillow's image of pixels, each in the nearest colour of a palette."""
    from PIL import Image

    known = Image.new("P", (1, 1))
    known.putpalette([*palette, *palette[:3] * (256 - len(palette) // 3)])
    picture = Image.fromarray(pixels).convert("RGB")
    image = picture.quantize(palette=known, dither=Image.Dither.NONE)
    image.putpalette(palette)
    return image


def gif_bytes(frames: Iterable[tuple[Pixels, int]], palette: list[int]) -> bytes:
    """Return frames with their milliseconds as a GIF that repeats without end.

    Frames that are alike become one, which is seen for as long as all of them.
    """
    found = ((in_colours(pixels, palette), seen) for pixels, seen in frames)
    images, durations = zip(*found, strict=True)
    written = io.BytesIO()
    images[0].save(
        written, "GIF", save_all=True, append_images=images[1:], duration=list(durations), loop=0,
        comment=b"separatrix",
    )  # fmt: skip
    return written.getvalue()


RATE = 20  # pictures a second


def require_ffmpeg() -> str:
    """Return where ffmpeg is."""
    found = shutil.which("ffmpeg")
    if found is None:
        raise InputError(
            "an MP4 needs the program ffmpeg, and it is not on the PATH. Install it, or name a "
            "file that ends in .gif, which needs nothing else."
        )
    return found


def mp4_bytes(gif: bytes) -> bytes:
    """Return a GIF as an MP4 (H.264): one thread and no dates, so that it is always the same."""
    with tempfile.TemporaryDirectory() as folder:
        film, path = (Path(folder) / f"film.{kind}" for kind in ("gif", "mp4"))
        film.write_bytes(gif)
        command = [
            require_ffmpeg(), "-loglevel", "error", "-nostdin", "-i", str(film), "-r", str(RATE),
            "-c:v", "libx264", "-pix_fmt", "yuv420p", "-preset", "veryfast",
            "-threads", "1", "-fflags", "+bitexact", "-flags:v", "+bitexact",
            "-metadata", "comment=separatrix", "-movflags", "+faststart", str(path),
        ]  # fmt: skip
        done = subprocess.run(  # noqa: S603  # a fixed program with fixed arguments
            command, capture_output=True, check=False, start_new_session=True
        )
        if done.returncode != 0 or not path.exists():
            told = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason"]
            raise InputError(f"ffmpeg could not make the film: {told[-1][:200]}")
        return path.read_bytes()
