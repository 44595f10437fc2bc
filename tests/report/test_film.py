"""Films: the walk is PLA's, and the file holds what was drawn."""

import shutil
import subprocess

import matplotlib as mpl
import numpy as np
import pytest

import separatrix as sx
from separatrix.learners._stopping import Stopped
from separatrix.report.animation.film import chosen, updates
from separatrix.report.animation.making import gif_bytes, in_colours
from separatrix.report.animation.scene import HEIGHT, WIDTH, Scene
from tests.report.films import decoded, needs_ffmpeg


@pytest.fixture(scope="session")
def separated():
    """A table that PLA separates."""
    made = sx.make_separable(60, 2, margin=0.02, seed=21)
    return made.X, made.y


@pytest.fixture(scope="module")
def filmed(separated, tmp_path_factory):
    path = tmp_path_factory.mktemp("film") / "pla.gif"
    return sx.animate(*separated, path, frames=40), path


def test_the_film_shows_the_walk_of_pla(filmed, separated):
    film, _ = filmed
    X, y = separated
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    assert np.allclose(film.plane.points, Z)
    model = sx.Perceptron().fit(film.plane.points, y)
    assert film.trace.rows.tolist() == model.trace_.rows.tolist()
    assert film.stopped is Stopped.CLEAN_PASS
    assert film.separable
    assert film.mistakes[-1] == 0
    signs = np.sign(y)
    for t, w in enumerate(film.path):
        assert (signs * (film.plane.points @ w[1:] + w[0]) <= 0.0).sum() == film.mistakes[t]
    assert (film.mistakes[film.pocket] == np.minimum.accumulate(film.mistakes)).all()
    assert "Every update is shown" in film.summary


def test_the_gif_holds_every_moment(filmed):
    film, path = filmed
    frames, milliseconds = decoded(path)
    assert len(frames) == len(film.moments) <= 40
    assert all(frame.shape == (HEIGHT, WIDTH, 3) for frame in frames)
    assert milliseconds == [m.milliseconds for m in film.moments]
    # frame by frame it is what the scene draws, in the colours of the palette
    scene = Scene(film)
    for k in (0, 1, len(frames) // 2, len(frames) - 1):
        pixels = scene.at(film.moments[k])
        drawn = in_colours(pixels).convert("RGB")
        assert (frames[k] == np.asarray(drawn)).all()
        away = np.abs(np.asarray(drawn, int) - pixels[..., :3]).max(axis=-1)
        assert (away > 1).mean() < 0.1  # soft edges only


def test_the_drawn_line_is_the_line_of_w(filmed):
    film, _ = filmed
    scene = Scene(film)
    for moment in film.moments[3::7]:
        pixels = scene.at(moment).copy()
        before = film.path[moment.t]
        after = film.path[min(moment.t + 1, film.n_updates)]
        w = before + moment.part * (after - before)
        ends = scene.line.get_xydata()
        assert np.abs(w[0] + ends @ w[1:]).max() < 1e-9 * np.abs(w).max()
        # the yes side is tinted, the no side is not: looked at in the pixels themselves
        edges, high = scene.ax.get_window_extent(), len(pixels)
        box = (
            slice(high - round(edges.y1), high - round(edges.y0)),
            slice(*map(round, edges.intervalx)),
        )
        low, size = scene.window.low, scene.window.size
        a = low[0] + size[0] * (np.arange(box[1].start, box[1].stop) + 0.5 - edges.x0) / edges.width
        b = (
            low[1]
            + size[1]
            * (high - np.arange(box[0].start, box[0].stop) - 0.5 - edges.y0)
            / edges.height
        )
        scores = w[0] + w[1] * a[np.newaxis, :] + w[2] * b[:, np.newaxis]
        far = np.abs(scores) > 0.01 * np.abs(scores).max()
        box = pixels[box][..., :3].astype(int)
        tinted = (np.abs(box - [0xE8, 0xF2, 0xF9]) <= 1).all(axis=-1)
        white = (box == 255).all(axis=-1)
        assert (scores[far & tinted] < 0.0).mean() < 1e-3  # the edge of an o is as blue
        assert (scores[far & white] > 0.0).mean() < 1e-3
        assert (far & tinted).any()


def test_the_same_input_gives_the_same_bytes_whatever_matplotlib_is_set_to(separated, tmp_path):
    for visit in ("cyclic", "random"):
        contents = []
        for k, settings in enumerate(({}, {"font.size": 40, "figure.dpi": 300, "text.usetex": 1})):
            path = tmp_path / f"{visit}{k}.gif"
            with mpl.rc_context(settings):
                sx.animate(*separated, path, frames=6, visit=visit, random_state=5)
            contents.append(path.read_bytes())
        assert contents[0] == contents[1]


def test_a_walk_that_does_not_end_is_cut_and_said(tmp_path):
    X, y, names = sx.load_demo("iris_versicolor_virginica")
    film = sx.animate(X, y, tmp_path / "f.gif", names=names, max_updates=300)
    assert film.separable is False
    assert film.n_updates == 300
    assert len(decoded(tmp_path / "f.gif")[0]) == len(film.moments) == 100
    assert (tmp_path / "f.gif").stat().st_size < 500_000
    assert f"{film.n_shown} of the updates are shown" in film.summary
    shown = [m.t for m in film.moments]
    assert shown[:5] == [0, 1, 2, 3, 4]
    assert shown[-2:] == [299, 300]
    assert film.plane.names[0].startswith("principal direction 1 (7")


@pytest.mark.parametrize("made", [0, 1, 2, 5, 50, 99, 100, 5000])
@pytest.mark.parametrize("frames", [1, 2, 3, 10, 100])
def test_moments_fit_and_end_at_the_end(made, frames):
    mistakes = np.random.default_rng(made).integers(1, 50, made + 1)
    moments = chosen(mistakes, frames)
    assert 1 <= len(moments) <= frames
    assert (moments[-1].t, moments[-1].part) == (made, 0.0)
    order = [(m.t, m.part) for m in moments]
    assert order == sorted(set(order))
    if made and frames > 1:
        picked = updates(mistakes, frames - 1)
        assert picked.max() == made - 1
        assert set(picked.tolist()) == {m.t for m in moments[:-1]}
        assert picked.size == made if made <= frames - 1 else picked.size <= frames - 1


def test_updates_that_improve_the_pocket_are_among_those_shown():
    mistakes = np.full(5001, 40)
    mistakes[[1200, 3300]] = 30, 20
    mistakes[3301:] = 20
    assert {1199, 3299} <= set(updates(mistakes, 50).tolist())


def test_frames_that_are_alike_become_one(tmp_path):
    first = np.full((50, 80, 3), 255, dtype=np.uint8)
    second = first.copy()
    second[10:14, 20:30] = 0x22  # the darkest of inks
    path = tmp_path / "f.gif"
    path.write_bytes(gif_bytes([(first, 100), (second, 200), (second, 50)]))
    frames, milliseconds = decoded(path)
    assert milliseconds == [100, 250]
    assert (np.array(frames) == [first, second]).all()


def test_points_on_one_another_and_hostile_names(tmp_path):
    X, y = [[1.0, 2.0]] * 4, ["$a^{$", "$a^{$", "<b>", "<b>"]
    film = sx.animate(X, y, tmp_path / "f.gif", names=["$x_", "\u202ey" * 999], frames=5,
                      max_updates=10)  # fmt: skip
    assert film.separable is False
    film = sx.animate([[0.0, 0.0], [0.0, 1.0]], [0, 1], tmp_path / "g.gif", frames=5)
    assert film.separable


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
        pictures = round(sum(m.milliseconds for m in film.moments) * 20 / 1000)
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
