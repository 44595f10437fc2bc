"""Films as files, read again."""

import shutil

import numpy as np
import pytest
from PIL import Image

needs_ffmpeg = pytest.mark.skipif(
    shutil.which("ffmpeg") is None, reason="no ffmpeg on this machine"
)


def decoded(path):
    """Return the frames of a GIF as people see them, and their milliseconds."""
    with Image.open(path) as film:
        seen = []
        for k in range(film.n_frames):
            film.seek(k)
            seen.append((np.asarray(film.convert("RGB")), film.info["duration"]))
    return [pixels for pixels, _ in seen], [ms for _, ms in seen]
