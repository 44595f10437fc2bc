"""Films in other formats and of other learners, and what cannot be filmed."""

from __future__ import annotations

import shutil
import subprocess
import warnings

import numpy as np
import pytest
from PIL import Image
from sklearn.base import clone

import separatrix as sx
from separatrix.report.animation.gif import rgb
from separatrix.report.animation.scene import HEIGHT, WIDTH, Scene
from separatrix.report.drawing import style
from tests.report.animation.films import needs_ffmpeg


def test_what_cannot_be_filmed_is_refused_and_nothing_is_written(separated, tmp_path):
    X, y = separated
    for how, match in (
        ({"path": tmp_path / "f.webm"}, "ends in .gif, .mp4 or .html"),
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


RING = np.array([[np.cos(k), np.sin(k)] for k in range(24)])


@pytest.mark.parametrize("kernel", ["polynomial", "rbf", lambda A, B: (1.0 + A @ B.T) ** 2])
@pytest.mark.parametrize("visit", ["cyclic", "random"])
def test_a_kernel_is_filmed_from_update_to_update(kernel, visit, tmp_path):
    X = np.vstack([RING, 2.5 * RING])
    y = np.repeat(["in", "out"], len(RING))
    learner = sx.DualPerceptron(kernel=kernel, degree=2, visit=visit, random_state=3)
    film = sx.animate(X, y, tmp_path / "f.gif", frames=12, standardise=False, learner=learner)
    fitted = clone(learner).fit(X, y)
    assert not hasattr(learner, "alpha_")
    assert film.rows.tolist() == fitted.visited_.tolist()
    assert (film.stopped, film.trace) == (fitted.stopped_, None)
    assert "kernel" in film.summary
    asked = np.random.default_rng(0).normal(size=(50, 2))
    for t in (0, 1, film.n_updates // 2, film.n_updates):
        cut = clone(learner).set_params(max_updates=t)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cut.fit(X, y)
        scores = film.ground.scores(asked, t)
        assert scores == pytest.approx(cut.decision_function(asked), rel=1e-9, abs=1e-9)
        signs = np.where(y == "out", 1.0, -1.0)
        assert film.mistakes[t] == (signs * cut.decision_function(X) <= 0.0).sum()
        assert film.ground.score_of(5, t) == pytest.approx(
            cut.decision_function(X[[5]])[0], rel=1e-9, abs=1e-9
        )
    half = film.ground.scores(asked, 0, 0.5)
    assert half == pytest.approx(film.ground.scores(asked, 1) / 2, rel=1e-12, abs=1e-12)
    # the tint is where the score is positive
    scene = Scene(film)
    pixels = scene.at(film.moments[-1]).copy()
    yes = fitted.decision_function(scene.pixels_at).reshape(scene.grid[1].size, -1) > 0.0
    paper = (scene.plain[scene.box][..., :3] == 255).all(axis=-1)
    tint = (pixels[scene.box][..., :3] == rgb(style.YES_SIDE)).all(axis=-1)
    assert (tint[paper] == yes[paper]).mean() > 0.99  # all but what stands on the paper
    with Image.open(tmp_path / "f.gif") as gif:
        assert gif.n_frames == len(film.moments)


def test_votes_are_filmed_with_the_line_that_walks(separated, tmp_path):
    X, y = separated
    y = np.where(np.arange(len(y)) % 9 == 0, -y, y)
    learner = sx.VotedPerceptron(max_iter=2)
    film = sx.animate(X, y, tmp_path / "f.gif", frames=8, standardise=False, learner=learner)
    fitted = clone(learner).fit(X, y)
    assert film.n_updates == fitted.n_updates_
    assert "vote" in film.summary
    asked = np.random.default_rng(0).normal(size=(200, 2))
    shares = film.ground.scores(asked, film.n_updates) / fitted.votes_.sum()
    assert shares == pytest.approx(fitted.decision_function(asked), abs=1e-12)
    assert (film.ground.scores(asked, 0) == 0.0).all()  # w_0 = 0 votes for neither
    again = sx.animate(X, y, tmp_path / "g.gif", frames=8, standardise=False, learner=learner)
    assert (tmp_path / "f.gif").read_bytes() == (tmp_path / "g.gif").read_bytes()
    assert again.path.tobytes() == film.path.tobytes()


def test_other_learners_and_endless_walks_are_not_filmed(separated, tmp_path):
    X, y = separated
    with pytest.raises(sx.InputError, match="a DualPerceptron or a VotedPerceptron"):
        sx.animate(X, y, tmp_path / "f.gif", learner=sx.Perceptron())
    endless = sx.DualPerceptron(max_iter=None, max_updates=100_001)
    with pytest.raises(sx.InputError, match="give it max_updates"):
        sx.animate([[0, 0], [0, 0]], [0, 1], tmp_path / "f.gif", learner=endless)
    assert list(tmp_path.iterdir()) == []
