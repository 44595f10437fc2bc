"""`animate`: rows, a table or made points in, a film in a GIF or MP4 file out.

Frames of a GIF have one palette for all, so that the same frames are the same bytes.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from separatrix._types import ArrayLike, Untyped
from separatrix.course.datasets import make_separable
from separatrix.data import InputError, Sample, read_arrays, shortened
from separatrix.files import refuse_unwritable, write_atomically
from separatrix.report.animation.film import MOST_UPDATES, Film, filmed, plane_for
from separatrix.report.animation.scene import WIDTH, Pixels, Scene
from separatrix.report.displays._display import Column, labels_of, names_for
from separatrix.report.drawing import style
from separatrix.tables import Table, fit_encoding
from separatrix.zero_one.limits import Interrupts

Tell = Callable[[str], None]
KINDS = (".gif", ".mp4")
SIZES = (320, 3840)  # pixels across
MOST_FRAMES = 2000
DEMO: dict[str, Any] = {"n": 60, "d": 2, "margin": 0.02, "seed": 21}


class RowsOfTable(NamedTuple):
    """Rows of a table in the place of X, its labels included."""

    sample: Sample
    names: Sequence[str]
    lines: tuple[str, NDArray[np.int64]]  # what rows are called, and their numbers


def animate(
    X: ArrayLike,
    y: ArrayLike,
    path: str | os.PathLike[str],
    *,
    columns: Sequence[Column] | None = None,
    names: Sequence[Any] | None = None,
    frames: int = 100,
    size: int | None = None,
    visit: str = "cyclic",
    max_updates: int = 2000,
    standardise: bool = True,
    random_state: int | np.random.RandomState | None = None,
    progress: Tell | None = None,
) -> Film:
    """Write PLA on two columns of X (N, d), y (N,) as a film; return what it shows.

    Parameters
    ----------
    path : str or path
        Ends in .gif, or in .mp4 where the program ffmpeg is installed.
    columns : two positions or names
        Default: both of two columns; of more, the two principal directions of the standardised
        columns.
    names : sequence of str (d,)
        Of the columns; default those of a data frame.
    frames : int
        At most. Of a long walk the first updates are shown one by one, later ones further
        and further apart; ``film.summary`` says so.
    size : int or None
        Pixels across, even; default 680.
    visit : {"cyclic", "naive", "permuted", "random"}
        As in `Perceptron`.
    max_updates : int
        The walk ends there when no line separates the plane.
    standardise : bool
        Whether the two columns get mean 0 and standard deviation 1 first. PLA takes far more
        updates on columns in units of their own.
    random_state : int, RandomState or None
        For the permuted and the random order; the same seed makes the same bytes.
    progress : callable (sentence) or None

    Returns
    -------
    Film
        The walk, what was found about it, and the moments shown.

    Raises
    ------
    InputError
        For data or parameters that cannot be used, and a file that cannot be written. Nothing is
        written then, or when the work is interrupted.
    """
    kind = refuse_film(path, frames)
    if isinstance(X, RowsOfTable):
        sample, known, lines = X
    else:
        sample = read_arrays(X, y)
        known, lines = names_for(names, X, sample.d), ("row", np.arange(sample.n))
    width = WIDTH if size is None else _whole("size", size, *SIZES)
    if width % 2:
        raise InputError(f"size={size!r} (--size) must be an even number of pixels.")
    _whole("max_updates", max_updates, 0, MOST_UPDATES)  # each line is looked at on all rows
    from sklearn.utils import check_random_state

    try:
        check_random_state(random_state)
    except ValueError:
        raise InputError(
            f"random_state={shortened(repr(random_state))} (--seed) must be a whole number from 0 "
            f"to {2**32 - 1:,}."
        ) from None
    tell: Tell = progress or (lambda _: None)
    plane = plane_for(sample, known, columns, standardise)
    tell("PLA is walking")
    walk = {"visit": visit, "max_updates": max_updates, "random_state": random_state}
    film = filmed(plane, sample.y, labels_of(sample), frames=frames, walk=walk, lines=lines)
    # drawing calls back from compiled code, where an interrupt may be printed and forgotten
    with Interrupts() as interrupts, style.as_it_comes():
        content = gif_bytes(_pictures(Scene(film, width), film, tell, interrupts))
        if kind == ".mp4":
            tell("writing the film")
            content = mp4_bytes(content)
        interrupts.look()
        write_atomically(path, content)
    return film


def animate_table(
    table: Table, path: str | os.PathLike[str], *, degree: int = 1, **how: Untyped
) -> Film:
    """Write PLA on two features of a table (from `read_table`) as a film; see `animate`."""
    encoding = fit_encoding(table.columns, table.missing, degree)
    X = encoding.encode(table.columns, table.lines, table.line_word)
    if X.shape[1] < 2:
        raise InputError("the film shows a plane: it needs two columns besides the label.")
    names = encoding.feature_names
    pair = how.pop("columns", None)
    sample = Sample(X, table.y, np.array([table.no, table.yes]), np.ones(table.y.size))
    columns = None if pair is None else [_feature(column, names) for column in pair]
    rows = RowsOfTable(sample, names, (table.line_word, table.lines))
    return animate(rows, None, path, columns=columns, **how)


def _feature(column: Column, names: Sequence[str]) -> Column:
    """Return the feature that a column of two levels became, else what was given."""
    if column in names or not isinstance(column, str):
        return column
    made = [name for name in names if name.startswith(f"{column}=")]
    return made[0] if len(made) == 1 else column


def animate_demo(path: str | os.PathLike[str], **how: Untyped) -> Film:
    """Write PLA on made points, which a line separates, as a film; see `animate`."""
    made = make_separable(**DEMO)
    return animate(made.X, np.where(made.y > 0, "yes", "no"), path, **how)


def refuse_film(path: str | os.PathLike[str], frames: int = 1) -> str:
    """Return the kind of a film's file; raise `InputError` where it cannot be made or written."""
    kind = Path(path).suffix.lower()
    if kind not in KINDS:
        raise InputError(
            f"a film's file ends in {' or '.join(KINDS)}; {shortened(repr(str(path)))} does not."
        )
    _whole("frames", frames, 1, MOST_FRAMES)
    refuse_unwritable(path)
    if kind == ".mp4":
        require_ffmpeg()
    return kind


def _whole(name: str, value: float, least: int, most: int) -> int:
    if isinstance(value, bool) or int(value) != value or not least <= value <= most:
        option = f"--{name.replace('_', '-')}"
        raise InputError(
            f"{name}={value!r} ({option}) must be a whole number from {least} to {most:,}."
        )
    return int(value)


def _pictures(
    scene: Scene, film: Film, tell: Tell, interrupts: Interrupts
) -> Iterator[tuple[Pixels, int]]:
    for k, moment in enumerate(film.moments, start=1):
        interrupts.look()
        tell(f"drawing frame {k} of {len(film.moments)}")
        yield scene.at(moment), moment.milliseconds


PAPERS = ("#ffffff", style.YES_SIDE)
# strengths of each colour at soft edges: two more would make films a tenth larger
INKS = {style.LINE: 3, style.YES: 2, style.NO: 2, style.POCKET: 2, style.ARROW: 2}


def in_colours(pixels: Pixels) -> Untyped:
    """Return Pillow's image of pixels, each in the nearest of the papers and inks."""
    from PIL import Image, ImageColor

    white, *_ = table = [np.array(ImageColor.getrgb(paper)) for paper in PAPERS]
    for ink, strengths in INKS.items():
        steps = np.arange(1, strengths + 1)[:, np.newaxis] / strengths
        table += [*np.round(white + (ImageColor.getrgb(ink) - white) * steps)]
    table += [white] * (31 - len(table))  # Pillow takes one more, which means "as before"
    palette = np.array(table, dtype=int).ravel().tolist()
    known = Image.new("P", (1, 1))
    known.putpalette([*palette, *palette[:3] * (256 - len(table))])
    picture = Image.fromarray(pixels).convert("RGB")
    image = picture.quantize(palette=known, dither=Image.Dither.NONE)
    image.putpalette(palette)
    return image


def gif_bytes(frames: Iterable[tuple[Pixels, int]]) -> bytes:
    """Return frames with their milliseconds as a GIF that repeats without end.

    Frames that are alike become one, which is seen for as long as all of them.
    """
    images, durations = zip(*((in_colours(pixels), seen) for pixels, seen in frames), strict=True)
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
