"""Films in other formats and widths, and what cannot be filmed."""

from __future__ import annotations

import shutil
import subprocess

import pytest

import separatrix as sx
from separatrix.report.animation.scene import HEIGHT, WIDTH
from tests.report.animation.films import decoded, needs_ffmpeg


def test_what_cannot_be_filmed_is_refused_and_nothing_is_written(separated, tmp_path):
    X, y = separated
    for how, match in (
        ({"path": tmp_path / "f.webm"}, "ends in .gif or .mp4"),
        ({"path": tmp_path / "no" / "f.gif"}, "does not exist"),
        ({"frames": 0}, "frames=0"),
        ({"max_updates": 10**6}, "max_updates"),
        ({"columns": (0, 5)}, "does not exist"),
        ({"visit": "backwards"}, "visit"),
        ({"random_state": -1}, "random_state=-1"),
        ({"random_state": 2**32}, "from 0 to 4,294,967,295"),
        ({"X": X[:, :1]}, "two columns"),
    ):
        given = {"X": X, "y": y, "path": tmp_path / "f.gif", **how}
        with pytest.raises(sx.InputError, match=match):
            sx.animate(given.pop("X"), given.pop("y"), given.pop("path"), **given)
    assert list(tmp_path.iterdir()) == []


def test_mp4_without_ffmpeg_is_refused_before_any_work(separated, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(sx.InputError, match=r"ffmpeg.*\.gif"):
        sx.animate(*separated, tmp_path / "f.mp4")
    assert list(tmp_path.iterdir()) == []


@needs_ffmpeg
def test_mp4_has_the_frames_and_an_ffmpeg_that_fails_is_told(separated, tmp_path, monkeypatch):
    film = sx.animate(*separated, tmp_path / "f.mp4", frames=6)
    content = (tmp_path / "f.mp4").read_bytes()
    assert content[4:8] == b"ftyp"
    if shutil.which("ffprobe"):
        asked = ["ffprobe", "-v", "error", "-show_entries", "stream=width,height,nb_frames",
                 "-of", "csv=p=0", tmp_path / "f.mp4"]  # fmt: skip
        told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        pictures = sum(round(m.milliseconds * 20 / 1000) for m in film.moments)
        assert told.strip() == f"{WIDTH},{HEIGHT},{pictures}"
    broken = tmp_path / "ffmpeg"
    broken.write_text("#!/bin/sh\necho no such codec >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(sx.InputError, match="no such codec"):
        sx.animate(*separated, tmp_path / "g.mp4", frames=6)
    assert not (tmp_path / "g.mp4").exists()


def test_films_have_the_width_that_is_asked_for(separated, tmp_path):
    sx.animate(*separated, tmp_path / "f.gif", frames=2, size=1280)
    frames, _ = decoded(tmp_path / "f.gif")
    assert frames[0].shape == (776, 1280, 3)
    for size in (1281, 100, 5000, True, 700.5):
        with pytest.raises(sx.InputError, match="size="):
            sx.animate(*separated, tmp_path / "g.gif", size=size)
    assert not (tmp_path / "g.gif").exists()


@needs_ffmpeg
def test_an_mp4_of_another_width(separated, tmp_path):
    sx.animate(*separated, tmp_path / "f.mp4", frames=2, size=1280)
    assert (tmp_path / "f.mp4").read_bytes()[4:8] == b"ftyp"
