"""Tasks of the benchmarks: wrong answers, tables that are drawn, open tables."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from benchmarks.answer import NOT_SEPARABLE, SEPARABLE, Answer, TooSlowError
from benchmarks.data import Cascade, Table
from benchmarks.judging import judge
from benchmarks.measuring import measure
from benchmarks.open_tables import FOLDER, TABLES, brackets
from benchmarks.printing import brackets_table, firth_table
from benchmarks.tasks import TINY

from benchmarks import firth
from separatrix import separability
from separatrix.separation import exact_simplex
from tests.shared_data import needs_shared


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


def test_a_task_draws_the_same_table_whatever_else_is_run():
    first, again, other = (TINY[0].problem(seed) for seed in (3, 3, 4))
    assert first.X.tobytes() == again.X.tobytes()
    assert first.X.tobytes() != other.X.tobytes()


@pytest.mark.parametrize(
    ("room", "verdict"), [(1, "separable"), (0, "touching"), (-1, "overlapping")]
)
def test_tables_for_the_exact_simplex_do_need_it(room, verdict, monkeypatch):
    """And their verdict is the one that they are made for."""
    pivots = []
    whole = exact_simplex.Vertex.pivot
    monkeypatch.setattr(
        exact_simplex.Vertex, "pivot", lambda v, n, **k: pivots.append(n) or whole(v, n, **k)
    )
    problem = Cascade(50, room).draw(np.random.default_rng(0))
    found = separability(problem.X, problem.y)
    assert np.abs(problem.X).max() > 2.0**48
    assert (found.verdict, found.verify(problem.X, problem.y)) == (verdict, True)
    assert problem.separable is (verdict == "separable")
    assert len(pivots) > 20


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


def test_who_is_not_done_in_time_is_left_out():
    @dataclass(frozen=True)
    class Endless:
        name: str = "endless one"
        imports: str = ""

        def prepare(self, problem):  # noqa: ARG002
            return lambda: math.factorial(10**8)  # one call that no signal interrupts

    task = next(t for t in TINY if t.name.startswith("least squares") and t.limit)
    found = measure(replace(task, peers=[Endless(), task.peers[0]], limit=3.0), seed=0, rounds=2)
    assert [(w.who, w.why) for w in found.left_out] == [("endless one", "not done after 3 s")]
    assert found.entries[1].who == task.peers[0].name


def test_open_tables_that_are_not_here_are_named(tmp_path):
    (tmp_path / "open_01").mkdir()
    (tmp_path / TABLES["pima"]).write_text("a,b,label\n0,0,n\n0,1,y\n1,0,y\n1,1,n\n")
    found = brackets(tmp_path, seconds=5.0)
    assert found == {"pima": {"lower": 1.0, "upper": 1.0, "share": 1.0}}
    printed = [line.split() for line in brackets_table(found, tuple(TABLES)).splitlines()[1:]]
    assert printed == [["pima", "1", "1"], *([t, "absent", "absent"] for t in list(TABLES)[1:])]


def test_firth_is_timed_beside_its_peer_and_an_absent_peer_is_named(monkeypatch):
    pytest.importorskip("firthmodels", reason="a peer of the extra `bench`")
    monkeypatch.setattr(firth, "SHAPES", {"firth 1000x5": 5})
    found = firth.timings(seed=0, turns=1)
    measured = found["firth 1000x5"]
    assert measured["objective"] == pytest.approx(measured["peer_objective"], abs=1e-6)
    assert measured["largest_difference"] < 1e-3  # the peer's own tolerance is 1e-4
    printed = firth_table(found, ("firth 1000x5", "firth 1000x20")).splitlines()
    assert printed[2].split()[2:] == ["absent"] * 6


@needs_shared
def test_open_tables_are_where_they_are_looked_for():
    assert all((FOLDER / file).exists() for file in TABLES.values())
