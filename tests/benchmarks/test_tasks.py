"""Tasks of the benchmarks: wrong answers, and who cannot take part."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from benchmarks.answer import NOT_SEPARABLE, SEPARABLE, Answer, TooSlowError
from benchmarks.data import Table
from benchmarks.judging import judge
from benchmarks.measuring import measure
from benchmarks.tasks import TINY


def test_wrong_answers_are_called_wrong():
    problem = Table(50, 2, margin=0.1).draw(np.random.default_rng(0))
    off = -problem.target

    def text(*answer, **more):
        return judge(Answer(*answer, **more), problem, "perceptron error").text

    assert text(problem.target, 1.0) == "separates, unproven"
    assert text(problem.target, 1.0, claim=SEPARABLE) == "separable, unproven"
    assert text(problem.target, 1.0, claim=SEPARABLE, check=lambda: True) == "separable, proven"
    assert text(problem.target, 1.0, claim=SEPARABLE, check=lambda: False) == "separable, unproven"
    assert text(off, 1.0) == "DOES NOT SEPARATE: misses 50 rows"
    assert text(off, 1.0, claim=SEPARABLE) == "WRONG: its line misses 50 rows, unproven"
    assert text(None, 1.0, claim=NOT_SEPARABLE) == "WRONG: claims not separable, unproven"


def test_who_cannot_take_part_is_left_out_with_a_reason():
    @dataclass(frozen=True)
    class Unable:
        name: str
        error: Exception
        imports: str = ""

        def prepare(self, problem):  # noqa: ARG002  # it never gets so far
            raise self.error

    unable = [
        Unable("absent one", ModuleNotFoundError("No module named 'one'")),
        Unable("slow one", TooSlowError("31 s")),
        Unable("broken one", ValueError("odd")),
    ]
    task = next(t for t in TINY if t.name.startswith("pass"))
    found = measure(replace(task, peers=[*unable, *task.peers]), seed=0, rounds=2)
    assert [(w.who, w.why) for w in found.left_out] == [
        ("absent one", "absent: No module named 'one'"),
        ("slow one", "too slow: 31 s"),
        ("broken one", "failed: ValueError: odd"),
    ]
    assert found.best == "scikit-learn"
    with pytest.raises(ValueError, match="odd"):  # ours must not fail unnoticed
        measure(replace(task, ours=unable[-1]), seed=0, rounds=2)
