"""What is said over a moment of the film."""

from __future__ import annotations

import numpy as np

from separatrix.kernels.exact import signed_scores
from separatrix.learners._stopping import Stopped
from separatrix.report.animation.film import Film, Moment


def counts(film: Film, moment: Moment) -> tuple[str, str, str]:
    """Return how far the film is, and the mistakes of PLA and pocket."""
    wrong = film.mistakes[moment.t]
    best = film.mistakes[film.pocket[moment.t]]
    return (
        f"update {moment.t:,} of {film.n_updates:,}",
        f"PLA: {wrong:,} of {film.y.size:,} wrong",
        f"pocket: {best:,} wrong",
    )


def sentence(film: Film, moment: Moment) -> tuple[str, str]:
    """Return what happens, and to which row."""
    if moment.t == film.n_updates:
        return _ending(film), ""
    row = film.rows[moment.t]
    sign, answer = ("+", "yes") if film.y[row] > 0 else ("−", "no")
    one = np.ascontiguousarray(film.plane.points[[row]])
    score = float(signed_scores(one, 1, film.path[moment.t], 1.0)[0])
    where = "= 0" if score == 0.0 else "< 0" if score < 0.0 else "> 0"
    said = f"mistake: {answer}, but score {where}.  w′ = w {sign} x"
    return said, f"{film.line_word} {film.lines[row]}"


def _ending(film: Film) -> str:
    if film.stopped is Stopped.CLEAN_PASS:
        return f"{film.stopped}: PLA stops, and the line separates"
    known: dict[bool | None, str] = {
        True: "a line does separate these points",
        False: "no line separates these points",
    }
    return f"{film.stopped}; {known.get(film.separable, 'undecided whether a line separates')}"
