"""Films: the walk is PLA's, the file holds what was drawn, and nothing is written by halves."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from PIL import Image
from sklearn.base import clone

import separatrix as sx
from separatrix import cli
from separatrix.learners._stopping import Stopped
from separatrix.report.animation.film import chosen, updates
from separatrix.report.animation.gif import UNCHANGED, Palette, gif_bytes, rgb
from separatrix.report.animation.scene import HEIGHT, INKS, PAPERS, WIDTH, Scene
from separatrix.report.displays import _style as style
from tests.shared_data import DATA, needs_shared

needs_ffmpeg = pytest.mark.skipif(
    shutil.which("ffmpeg") is None, reason="no ffmpeg on this machine"
)


def command_line(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "separatrix", "animate", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )


def decoded(path):
    """Return the frames of a GIF as people see them, and their milliseconds."""
    with Image.open(path) as film:
        seen = []
        for k in range(film.n_frames):
            film.seek(k)
            seen.append((np.asarray(film.convert("RGB")), film.info["duration"]))
    return [pixels for pixels, _ in seen], [ms for _, ms in seen]


@pytest.fixture(scope="module")
def separated():
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
    scene, palette = Scene(film), Palette(PAPERS, INKS)
    for k in (0, 1, len(frames) // 2, len(frames) - 1):
        drawn = palette.colours[palette.positions(scene.at(film.moments[k]))]
        assert (frames[k] == drawn).all()


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
        a, b = scene.grid
        scores = w[0] + w[1] * a[np.newaxis, :] + w[2] * b[:, np.newaxis]
        far = np.abs(scores) > 0.01 * np.abs(scores).max()
        box = pixels[scene.box][..., :3].astype(int)
        tinted = (np.abs(box - [0xE8, 0xF2, 0xF9]) <= 1).all(axis=-1)
        white = (box == 255).all(axis=-1)
        assert (scores[far & tinted] < 0.0).mean() < 1e-3  # the edge of an o is as blue
        assert (scores[far & white] > 0.0).mean() < 1e-3
        assert (far & tinted).any()


def test_the_same_input_gives_the_same_bytes(separated, tmp_path):
    for visit in ("cyclic", "random"):
        contents = []
        for k in range(2):
            path = tmp_path / f"{visit}{k}.gif"
            sx.animate(*separated, path, frames=12, visit=visit, random_state=5)
            contents.append(path.read_bytes())
        assert contents[0] == contents[1]


def test_a_hundred_frames_of_an_unending_walk_are_small(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 5)).round(3)
    y = X @ [1.0, 1.0, -1.0, 0.0, 0.0] + 0.8 * rng.normal(size=150) > 0.0
    film = sx.animate(X, y, tmp_path / "f.gif")
    assert len(film.moments) == 100
    assert (tmp_path / "f.gif").stat().st_size < 500_000


def test_what_matplotlib_is_set_to_changes_no_film(separated, tmp_path):
    import matplotlib as mpl

    sx.animate(*separated, tmp_path / "a.gif", frames=3)
    with mpl.rc_context({"font.size": 40, "figure.dpi": 300, "text.usetex": True}):
        sx.animate(*separated, tmp_path / "b.gif", frames=3)
    assert (tmp_path / "a.gif").read_bytes() == (tmp_path / "b.gif").read_bytes()


def test_a_walk_that_does_not_end_is_cut_and_said(tmp_path):
    X, y, names = sx.load_demo("iris_versicolor_virginica")
    film = sx.animate(X, y, tmp_path / "f.gif", names=names, frames=20, max_updates=300)
    assert film.separable is False
    assert film.n_updates == 300
    assert len(decoded(tmp_path / "f.gif")[0]) == len(film.moments) <= 20
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


def test_only_what_changes_is_written():
    palette = Palette(["#ffffff"], {"#000000": 4})
    first = np.full((50, 80, 3), 255, dtype=np.uint8)
    second = first.copy()
    second[10:14, 20:30] = 0
    content = gif_bytes([(first, 100), (second, 200), (second, 50)], palette)
    parts = content.split(b"!\xf9\x04")
    assert len(parts) == 4
    place = parts[2].split(b",", 1)[1][:8]
    assert np.frombuffer(place, dtype="<u2").tolist() == [20, 10, 10, 4]
    assert (palette.positions(first) != UNCHANGED).all()


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1e12, 1e300])
@pytest.mark.parametrize("standardise", [True, False])
def test_films_at_every_scale(separated, tmp_path, scale, standardise):
    X, y = separated
    if standardise is False and scale in (1e-300, 1e300):
        scale = 1e-100 if scale < 1.0 else 1e100
    film = sx.animate(
        X * scale, y, tmp_path / "f.gif", frames=3, standardise=standardise, max_updates=50
    )
    assert (tmp_path / "f.gif").exists()
    assert film.n_updates > 0


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
        pictures = sum(round(m.milliseconds * 20 / 1000) for m in film.moments)
        assert told.strip() == f"{WIDTH},{HEIGHT},{pictures}"
    broken = tmp_path / "ffmpeg"
    broken.write_text("#!/bin/sh\necho no such codec >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(sx.InputError, match="no such codec"):
        sx.animate(*separated, tmp_path / "g.mp4", frames=6)
    assert not (tmp_path / "g.mp4").exists()


# ---------------------------------------------------------------- the command


def test_the_command_films_the_demonstration(tmp_path):
    done = command_line("--demo", "-o", tmp_path / "d.gif", "--frames", "20")
    assert (done.returncode, done.stdout) == (0, "")
    assert "a whole pass met no mistake" in done.stderr
    assert len(decoded(tmp_path / "d.gif")[0]) <= 20


def test_the_command_films_columns_of_a_table(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text(
        'sex,"pay, net",age,ok\n' + "".join(
            f"{'fm'[k % 2]},{10 * k},{20 + k % 5},{'ny'[k % 2]}\n" for k in range(12)
        )
    )  # fmt: skip
    done = command_line(
        table, "--label", "ok", "--yes", "n", "--columns", 'sex,"pay, net"', "-o",
        tmp_path / "f.gif", "--frames", "5",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(decoded(tmp_path / "f.gif")[0]) <= 5


@needs_shared
def test_the_command_films_a_real_table(tmp_path):
    done = command_line(
        DATA / "wdbc.csv", "--label", "label", "-o", tmp_path / "f.gif", "--frames", "10"
    )
    assert done.returncode == 0
    assert "of the updates are shown" in done.stderr
    assert (tmp_path / "f.gif").stat().st_size < 100_000


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (["-o", "f.gif"], "TABLE or --demo"),
        (["t.csv", "--demo", "-o", "f.gif"], "TABLE or --demo"),
        (["--demo", "-o", "f.txt"], "ends in .gif or .mp4"),
        (["--demo", "-o", "f.gif", "--columns", "a"], "two names"),
        (["absent.csv", "--label", "a", "-o", "f.gif"], "absent.csv"),
        (["--demo", "-o", "f.gif", "--columns", "x1,height"], "'height' is no column"),
    ],
)
def test_the_command_says_what_is_wrong(arguments, match, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        cli.main(["animate", *arguments])
    told = capfd.readouterr().err
    assert left.value.code == 2
    assert match in told
    assert "Traceback" not in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["f.gif", pytest.param("f.mp4", marks=needs_ffmpeg)])
def test_an_interrupt_leaves_nothing(name, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "tmp").mkdir()
    script = (
        "import sys, numpy as np, separatrix as sx\n"
        "made = sx.make_separable(60, 2, margin=0.02, seed=21)\n"
        "def tell(sentence):\n"
        "    if 'frame 5 ' in sentence: print('five', flush=True)\n"
        f"path = {str(tmp_path / 'out' / name)!r}\n"
        "sx.animate(made.X, made.y, path, frames=2000, progress=tell)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**__import__("os").environ, "TMPDIR": str(tmp_path / "tmp")},
    )  # fmt: skip
    assert process.stdout.readline().strip() == "five"
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in told
    assert list((tmp_path / "out").iterdir()) == []
    assert list((tmp_path / "tmp").iterdir()) == []


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
