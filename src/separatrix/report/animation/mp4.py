"""Frames as an MP4, through ffmpeg's standard input."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from separatrix.data import InputError
from separatrix.report.animation.gif import Pixels

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
