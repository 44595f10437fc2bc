"""Frames as a GIF: one palette for all, and of each frame only what changed.

Pillow compresses the pixels; the palette, the cropping and the order of the blocks are ours: the
same frames are the same bytes. Pillow's own animation of the same palette is 2 to 4 % larger
(13.0, optimised; 2.5 times without), and keeps every frame in memory until it is written.
"""

from __future__ import annotations

import contextlib
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, InputError

COLOURS = 31  # and one that means "as before"
UNCHANGED = COLOURS
SIZE_OF_TABLE = 4  # 2 ** (4 + 1) colours

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
        self.colours = np.zeros((COLOURS + 1, 3), dtype=np.uint8)
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
    """Return frames with their milliseconds as a GIF that repeats without end."""
    blocks: list[bytes] = []
    before: Pixels | None = None
    for pixels, milliseconds in frames:
        now = palette.positions(pixels)
        if before is None:
            height, width = now.shape
            blocks += _image(now, (0, 0), milliseconds, palette)
        else:
            left, top, part = changed_box(before, now)
            blocks += _image(part, (left, top), milliseconds, palette)
        before = now
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF0 | SIZE_OF_TABLE, 0, 0)
    repeat = b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
    made = b"!\xfe\x0aseparatrix\x00"  # a comment
    return b"".join([head, palette.colours.tobytes(), made, repeat, *blocks, b";"])


def changed_box(before: Pixels, now: Pixels) -> tuple[int, int, Pixels]:
    """Return left, top and positions of the smallest rectangle that changed."""
    changed = before != now
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    if rows.size == 0:  # nothing did, but its time passes
        rows = columns = np.zeros(1, dtype=np.int64)
    box = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    part = np.where(changed[box], now[box], np.uint8(UNCHANGED))
    return int(columns[0]), int(rows[0]), part


def _image(
    positions: Pixels, at: tuple[int, int], milliseconds: int, palette: Palette
) -> list[bytes]:
    from PIL import GifImagePlugin, Image

    height, width = positions.shape
    image = Image.frombytes("P", (width, height), np.ascontiguousarray(positions).tobytes())
    image.putpalette(palette.colours.tobytes())
    return GifImagePlugin.getdata(
        image, at, duration=milliseconds, disposal=1, transparency=UNCHANGED
    )


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
