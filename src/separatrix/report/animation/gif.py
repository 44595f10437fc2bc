"""Frames as a GIF, with one palette for all so that the same frames are the same bytes; as MP4."""

from __future__ import annotations

import contextlib
import io
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, InputError

COLOURS = 31  # Pillow takes one more, which means "as before"

Pixels = NDArray[np.uint8]  # (H, W, 3) or (H, W, 4)


class Palette:
    """Colours (31, 3), and which of them is nearest to any colour of 15 bits."""

    def __init__(self, paper: Sequence[str], inks: Mapping[str, int]) -> None:
        """Take the papers, and each ink in its number of strengths on the first of them."""
        white = rgb(paper[0])
        table = [rgb(colour) for colour in paper]
        for ink, strengths in inks.items():
            table += [white + (rgb(ink) - white) * k / strengths for k in range(1, strengths + 1)]
        if len(table) > COLOURS:
            raise ValueError(f"{len(table)} colours; a palette has {COLOURS}")
        self.colours = np.zeros((COLOURS, 3), dtype=np.uint8)
        self.colours[: len(table)] = np.round(table)
        self._nearest = _nearest(self.colours[: len(table)])

    def positions(self, pixels: Pixels) -> Pixels:
        """Return for each pixel the position of the nearest colour, (H, W)."""
        r, g, b = (pixels[..., k].astype(np.uint16) >> 3 for k in range(3))
        return np.asarray(self._nearest[(r << 10) | (g << 5) | b])


def rgb(colour: str) -> Floats:
    """Return a colour "#rrggbb" as three numbers."""
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], dtype=np.float64)


def _nearest(table: Pixels) -> Pixels:
    """Return for each colour of 15 bits the position of the nearest in a table: (32768,)."""
    codes = np.arange(1 << 15)
    five = np.column_stack([codes >> 10, (codes >> 5) & 31, codes & 31])
    cells = (five * 255 // 31).astype(float)  # black and white exactly
    colours = table.astype(float)
    away = (colours**2).sum(axis=1) - 2.0 * cells @ colours.T
    return np.asarray(away.argmin(axis=1), dtype=np.uint8)


def gif_bytes(frames: Iterable[tuple[Pixels, int]], palette: Palette) -> bytes:
    """Return frames with their milliseconds as a GIF that repeats without end.

    Frames that are alike become one, which is seen for as long as all of them.
    """
    from PIL import Image

    images, durations = [], []
    for pixels, milliseconds in frames:
        images.append(image := Image.fromarray(palette.positions(pixels)))
        image.putpalette(palette.colours.tobytes())
        durations.append(milliseconds)
    written = io.BytesIO()
    images[0].save(
        written, "GIF", save_all=True, append_images=images[1:], duration=durations, loop=0,
        comment=b"separatrix",
    )  # fmt: skip
    return written.getvalue()


RATE = 20  # pictures a second; a frame is repeated for as long as it is seen


def require_ffmpeg() -> str:
    """Return where ffmpeg is."""
    found = shutil.which("ffmpeg")
    if found is None:
        raise InputError(
            "an MP4 needs the program ffmpeg, and it is not on the PATH. Install it, or name a "
            "file that ends in .gif, which needs nothing else."
        )
    return found


def mp4_bytes(frames: Iterable[tuple[Pixels, int]], size: tuple[int, int]) -> bytes:
    """Return frames of (width, height) with their milliseconds as an MP4 (H.264)."""
    program = require_ffmpeg()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.mp4"
        errors = Path(folder) / "errors"
        with errors.open("wb") as written:
            process = subprocess.Popen(  # noqa: S603  # a fixed program with fixed arguments
                _command(program, size, path), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                stderr=written, start_new_session=True,
            )  # fmt: skip
            try:
                assert process.stdin is not None  # noqa: S101  # it is a pipe
                with contextlib.suppress(BrokenPipeError):  # its exit code says why it has ended
                    for pixels, milliseconds in frames:
                        picture = np.ascontiguousarray(pixels[..., :3]).tobytes()
                        for _ in range(max(1, round(milliseconds * RATE / 1000))):
                            process.stdin.write(picture)
                    process.stdin.close()
                process.wait()
            except BaseException:  # an interrupt, too: ffmpeg must not stay
                process.kill()
                process.wait()
                raise
        if process.returncode != 0 or not path.exists():
            last = errors.read_text(errors="replace").strip().splitlines()[-1:] or ["no reason"]
            raise InputError(f"ffmpeg could not make the film: {last[0][:200]}")
        return path.read_bytes()


def _command(program: str, size: tuple[int, int], path: Path) -> list[str]:
    """Return the command; one thread and no dates, so that the same frames are the same film."""
    width, height = size
    return [
        program, "-loglevel", "error", "-nostdin", "-y",
        "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", str(RATE),
        "-i", "pipe:0", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-preset", "veryfast",
        "-threads", "1", "-fflags", "+bitexact", "-flags:v", "+bitexact",
        "-metadata", "comment=separatrix", "-movflags", "+faststart", str(path),
    ]  # fmt: skip
