"""A tiny run of the benchmarks works and says what it promises. Nothing here looks at a time."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.shared_data import needs_shared

ROOT = Path(__file__).resolve().parents[1]
LINES = ("pass", "gradient", "pocket", "separation", "separability")
TASKS = (*LINES, "simplex", "fewest", "least squares", "logistic")
SPREADS = ("seconds", "to_ours", "to_floor")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """What a tiny run printed, and what it wrote."""
    file = tmp_path_factory.mktemp("benchmarks") / "run.json"
    only = [part for name in (*TASKS, "nist") for part in ("--only", name)]
    command = [sys.executable, "-m", "benchmarks", "--size", "tiny", "--seed", "7", *only]
    done = subprocess.run(
        [*command, "--json", str(file)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads(file.read_text())["runs"][0]


def of_kind(written, *kinds):
    return [m for m in written["measurements"] if m["task"].startswith(kinds)]


def entries(written):
    return [entry for m in written["measurements"] for entry in m["entries"]]


def test_says_where_when_and_with_what(run):
    printed, written = run
    machine = written["machine"]
    assert {"date", "cpu", "cores", "load_average", "python", "threads"} <= set(machine)
    assert machine["thread_pools"]
    assert all(pool.endswith(" 1") for pool in machine["thread_pools"])
    assert {"separatrix", "numpy", "scipy", "scikit-learn", "numba"} <= set(machine["versions"])
    assert (written["seed"], written["size"]) == (7, "tiny")
    assert machine["cpu"] in printed


def test_every_task_has_ours_its_peers_the_null_peer_and_the_floor(run):
    _, written = run
    for measurement in written["measurements"]:
        roles = [entry["role"] for entry in measurement["entries"]]
        assert roles[0] == "ours"
        assert roles[-2:] == ["null", "floor"]
        alone = measurement["task"].startswith(
            ("fewest", "simplex")
        )  # no peer that installs does that
        assert "peer" in roles or alone
        assert set(roles[1:-2]) <= {"peer", "beside"}
        assert measurement["rounds"] >= 5
    assert not written["failed"]
    assert all(of_kind(written, kind) for kind in TASKS)


def test_peers_that_are_not_installed_are_named(run):
    """Each is measured or named as absent, in what is printed as in what is written."""
    printed, written = run
    for measurement in of_kind(written, "logistic"):
        if measurement["task"].endswith("two units"):
            continue  # these two are not asked there
        measured = [entry["who"] for entry in measurement["entries"]]
        left_out = [who["who"] for who in measurement["left_out"]]
        assert sorted({"LIBLINEAR", "skglm ProxNewton"} & {*measured, *left_out}) == [
            "LIBLINEAR",
            "skglm ProxNewton",
        ]
        assert not {*measured} & {*left_out}
        assert all(f"{who['why']}" in printed for who in measurement["left_out"])


def test_spreads_are_in_order(run):
    for entry in entries(run[1]):
        for name in SPREADS:
            low, middle, high = (entry[name][key] for key in ("min", "median", "max"))
            assert low <= middle <= high
            assert math.isfinite(low)
            assert math.isfinite(high)


def test_ours_is_right_and_proven(run):
    for measurement in of_kind(run[1], *LINES):
        ours = measurement["entries"][0]["judgement"]
        assert ours["right"]
        assert ours["proven"] != measurement["task"].startswith(("pass", "gradient", "pocket"))
        if measurement["separable"]:
            assert (ours["mistakes"], ours["e_in"]) == (0, 0.0)


def test_the_peer_walks_as_ours_does(run):
    """So a pass of the peer does the same work, and ratios compare the same thing."""
    for measurement in of_kind(run[1], "pass", "gradient", "pocket", "separation"):
        peer = measurement["entries"][1]
        assert peer["same_line"]
        assert peer["judgement"]["e_in"] == measurement["entries"][0]["judgement"]["e_in"]
        if measurement["task"].startswith("pocket"):  # as many updates, to the same last weights
            assert peer["work"] == measurement["entries"][0]["work"]


def test_every_optimum_is_held_against_the_least(run):
    for measurement in of_kind(run[1], "logistic"):
        for entry in measurement["entries"][:-2]:
            judged = entry["judgement"]
            assert judged["right"] == (judged["excess"] <= 1e-8), entry["who"]
        assert measurement["entries"][0]["judgement"]["right"]
    for measurement in of_kind(run[1], "least squares"):
        ours = measurement["entries"][0]["judgement"]
        assert ours["right"]
        assert ours["digits"] > 13
        assert ours["e_in"] is None


def test_table_has_a_line_for_every_entry(run):
    printed, written = run
    header, *lines = printed.split("\n\n")[1].splitlines()
    assert header.split()[:4] == ["task", "who", "median", "min"]
    expected = sum(len(m["entries"]) + len(m["left_out"]) + 1 for m in written["measurements"])
    assert len(lines) == expected
    assert all("/ ours" not in line for line in lines)


@pytest.fixture
def _benchmarks(monkeypatch):
    """The folder that holds `benchmarks`, importable."""
    monkeypatch.syspath_prepend(str(ROOT))


@pytest.mark.usefixtures("_benchmarks")
def test_wrong_answers_are_called_wrong():
    from benchmarks.answer import NOT_SEPARABLE, SEPARABLE, Answer
    from benchmarks.data import Table
    from benchmarks.judging import judge

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


@pytest.mark.usefixtures("_benchmarks")
def test_a_task_draws_the_same_table_whatever_else_is_run():
    from benchmarks.tasks import TINY

    first, again, other = (TINY[0].problem(seed) for seed in (3, 3, 4))
    assert first.X.tobytes() == again.X.tobytes()
    assert first.X.tobytes() != other.X.tobytes()


@pytest.mark.parametrize(
    ("room", "verdict"), [(1, "separable"), (0, "touching"), (-1, "overlapping")]
)
@pytest.mark.usefixtures("_benchmarks")
def test_tables_for_the_exact_simplex_do_need_it(room, verdict, monkeypatch):
    """And their verdict is the one that they are made for."""
    from benchmarks.data import Cascade

    from separatrix import separability
    from separatrix.separation import exact_simplex

    pivots = []
    whole = exact_simplex.Vertex.pivot
    monkeypatch.setattr(
        exact_simplex.Vertex, "pivot", lambda vertex, n: pivots.append(n) or whole(vertex, n)
    )
    problem = Cascade(50, room).draw(np.random.default_rng(0))
    found = separability(problem.X, problem.y)
    assert np.abs(problem.X).max() > 2.0**48
    assert (found.verdict, found.verify(problem.X, problem.y)) == (verdict, True)
    assert problem.separable is (verdict == "separable")
    assert len(pivots) > 20


@pytest.mark.usefixtures("_benchmarks")
def test_start_up_is_measured_in_a_fresh_process():
    from benchmarks.starting import start_ups, taking_turns

    alone, with_numpy = start_ups([], rounds=1)
    assert not taking_turns({"absent": "import no_such_library"}, rounds=1)
    assert (alone.imports, with_numpy.imports) == ("pass", "import numpy")
    assert alone.seconds.min > 0.0


@pytest.mark.usefixtures("_benchmarks")
def test_an_unknown_task_is_refused():
    from benchmarks.suite import run

    with pytest.raises(SystemExit, match="nonsense"):
        run(seed=0, threads=1, size="tiny", only=["nonsense"], say=print)


@pytest.mark.usefixtures("_benchmarks")
def test_the_least_is_the_least():
    """Against a minimiser of another kind, with a penalty and without, dense and sparse."""
    from benchmarks.data import Likely, Words
    from benchmarks.references import cross_entropy_sum, least_cross_entropy
    from scipy.optimize import minimize

    tables = [Likely(80, 3), Likely(80, 3, C=0.5), Likely(80, 3, scaled=True), Words(60, 9, 4)]
    for table in tables:
        problem = table.draw(np.random.default_rng(1))
        least = least_cross_entropy(problem)
        points = problem.X.toarray() if isinstance(table, Words) else problem.X
        scale = 1.0 / np.append(1.0, np.abs(points).max(axis=0))
        found = minimize(
            lambda v, p=problem, s=scale: cross_entropy_sum(p, v * s),
            np.zeros(problem.X.shape[1] + 1),
            options={"gtol": 1e-9},
        )
        assert least <= found.fun * (1.0 + 1e-14)
        assert least == pytest.approx(found.fun, rel=1e-9)


@pytest.mark.usefixtures("_benchmarks")
def test_least_squares_in_more_digits_than_doubles_have():
    from benchmarks.data import Numbers
    from benchmarks.references import correct_digits, least_squares

    problem = Numbers(40, 3).draw(np.random.default_rng(2))
    problem.X[:, 1] = problem.X[:, 0] + 1e-4 * problem.X[:, 1]  # nearly collinear
    rows = [[Fraction(1), *map(Fraction, row)] for row in problem.X.tolist()]
    exact = solved(rows, [Fraction(value) for value in problem.y.tolist()])
    found = least_squares(problem)
    assert found == pytest.approx([float(w) for w in exact], rel=1e-15)
    assert correct_digits(found, found) == 16.0
    assert correct_digits(found * (1.0 + 1e-7), found) == pytest.approx(7.0, abs=0.1)
    assert correct_digits(found * np.nan, found) == 0.0


def solved(rows, y):
    """The normal equations by Gauss-Jordan, in fractions."""
    width = range(len(rows[0]))
    M = [
        [sum(r[i] * r[j] for r in rows) for j in width]
        + [sum(r[i] * v for r, v in zip(rows, y, strict=True))]
        for i in width
    ]
    for i in width:
        M[i] = [value / M[i][i] for value in M[i]]
        for k in width:
            if k != i:
                M[k] = [a - M[k][i] * b for a, b in zip(M[k], M[i], strict=True)]
    return [row[-1] for row in M]


@pytest.mark.usefixtures("_benchmarks")
def test_the_loosest_tolerance_that_is_good_enough():
    from benchmarks.ladder import loosest

    for usual in (1e-1, 1e-5, 1e-9):
        assert loosest(lambda tol: 1e-4 * tol, usual).tolerance == pytest.approx(1e-4)
        assert loosest(lambda tol: 2e-5 * tol, usual).tolerance == pytest.approx(10**-3.5)
    never = loosest(lambda tol: 1e-3 + abs(tol - 1e-8), 1e-5)
    assert never.tolerance == pytest.approx(1e-8)
    assert never.excess == pytest.approx(1e-3)


@pytest.mark.usefixtures("_benchmarks")
def test_a_fit_that_takes_too_long_is_given_up():
    from benchmarks.answer import TooSlowError
    from benchmarks.ladder import at_most

    with pytest.raises(TooSlowError, match="a loop took more than"):
        endless(at_most(0.05, "a loop"))
    with at_most(60.0, "nothing"):
        pass


def endless(limit):
    with limit:
        while True:
            pass


@pytest.mark.usefixtures("_benchmarks")
def test_who_cannot_take_part_is_left_out_with_a_reason():
    from dataclasses import dataclass, replace

    from benchmarks.answer import TooSlowError
    from benchmarks.measuring import measure
    from benchmarks.tasks import TINY

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


@pytest.mark.usefixtures("_benchmarks")
def test_slow_ones_take_part_in_the_first_rounds_alone(monkeypatch):
    from benchmarks import measuring
    from benchmarks.answer import Answer

    monkeypatch.setattr(measuring, "SHARE", 0.0)
    runs = {name: lambda: Answer(None, 1.0) for name in ("a", "b")}
    assert {len(given) for given in measuring.take_turns(runs, 7).values()} == {2}
    monkeypatch.setattr(measuring, "SHARE", 1e9)
    assert {len(given) for given in measuring.take_turns(runs, 7).values()} == {7}


@pytest.mark.usefixtures("_benchmarks")
def test_bars_are_judged_by_the_worst_seed():
    from benchmarks.bars import NOTHING, Bar, Figure

    more, less = Bar("more", 2.0, 4.0, dict), Bar("less", 4.0, 2.0, dict)

    def reached(bar, *values):
        return bar.reached([Figure(value) for value in values])

    assert [reached(more, *v) for v in ([4, 9], [9, 3], [1.9, 9])] == ["goal", "must", "NO"]
    assert [reached(less, *v) for v in ([2, 1], [1, 3], [4.1, 1])] == ["goal", "must", "NO"]
    assert more.reached([Figure(9.0), NOTHING]) == "not measured"
    assert more.reached([]) == "not measured"


@pytest.mark.usefixtures("_benchmarks")
def test_every_bar_has_a_task_that_it_reads():
    """A bar whose task was renamed would silently be measured no more."""
    from benchmarks import bars
    from benchmarks.open_tables import TABLES as OPEN_TABLES
    from benchmarks.proofs import PROOFS
    from benchmarks.tasks import WHOLE
    from benchmarks.threads import TASKS as THREADED

    spread = {"min": 3.0, "median": 3.0, "max": 3.0}
    judged = {"right": True, "proof": {"kilobytes": 3.0, "seconds": 3.0}}
    run = {
        "seed": 0,
        "measurements": [
            {
                "task": task.name,
                "best_to_ours": spread,
                "best": "somebody",
                "entries": [
                    {
                        "who": a.name,
                        "to_ours": spread,
                        "to_floor": spread,
                        "seconds": spread,
                        "work": "proven",
                        "judgement": judged,
                    }
                    for a in (task.ours, *task.peers, *task.beside)
                ],
            }
            for task in WHOLE
        ],
        "nist": {t: {"separatrix": 3.0} for t in ("Filip", "Wampler1", "Wampler5", "Longley")},
        "open": {t: {"upper": 3.0, "share": 3.0} for t in OPEN_TABLES},
        "proofs": {what: {"kilobytes": 3.0, "seconds": 3.0} for what in PROOFS},
        "starting": {"fits": [{"what": "Perceptron().fit", "seconds": spread}]},
        "threads": [{"task": name, "one_to_two": spread} for name in THREADED],
    }
    assert bars.unmeasured([run]) == []
    table = bars.rows([run, run])
    assert table[0] == ("bar", "must", "goal", "seed 0", "seed 0", "reached", "against")
    assert {len(row) for row in table} == {7}
    assert {row[3] for row in table[1:]} == {"3"}


@pytest.mark.usefixtures("_benchmarks")
def test_a_run_that_was_written_gives_its_table_again(tmp_path):
    command = [sys.executable, "-m", "benchmarks"]
    file, table = tmp_path / "run.json", tmp_path / "bars.md"
    asked = ["--size", "tiny", "--only", "least squares", "--seeds", "3,5", "--json", str(file)]
    subprocess.run([*command, *asked], cwd=ROOT, check=True, capture_output=True)
    written = json.loads(file.read_text())
    assert [run["seed"] for run in written["runs"]] == [3, 5]
    again = [*command, "--again", str(file), "--markdown", str(table)]
    subprocess.run(again, cwd=ROOT, check=True, capture_output=True)
    head, _, rest = table.read_text().partition("\n\n")
    assert written["runs"][0]["machine"]["cpu"] in head
    assert rest.startswith("| bar | must | goal | seed 3 | seed 5 | reached | against |\n| --- |")


@pytest.mark.usefixtures("_benchmarks")
def test_open_tables_that_are_not_here_are_named(tmp_path):
    from benchmarks.open_tables import TABLES, brackets
    from benchmarks.printing import brackets_table

    (tmp_path / "open_01").mkdir()
    (tmp_path / TABLES["pima"]).write_text("a,b,label\n0,0,n\n0,1,y\n1,0,y\n1,1,n\n")
    found = brackets(tmp_path, seconds=5.0)
    assert found == {"pima": {"lower": 1.0, "upper": 1.0, "share": 1.0}}
    printed = [line.split() for line in brackets_table(found, tuple(TABLES)).splitlines()[1:]]
    assert printed == [["pima", "1", "1"], *([t, "absent", "absent"] for t in list(TABLES)[1:])]


@needs_shared
@pytest.mark.usefixtures("_benchmarks")
def test_open_tables_are_where_they_are_looked_for():
    from benchmarks.open_tables import FOLDER, TABLES

    assert all((FOLDER / file).exists() for file in TABLES.values())


@pytest.mark.usefixtures("_benchmarks")
def test_proofs_are_measured_and_verified(monkeypatch):
    from benchmarks import proofs
    from benchmarks.data import Table

    for name in proofs.PROOFS:
        monkeypatch.setitem(proofs.PROOFS, name, Table(60, 2, noise=0.1))
    found = proofs.sizes(seed=0)
    assert found.keys() == proofs.PROOFS.keys()
    assert all(of["kilobytes"] > 0.1 and of["seconds"] > 0.0 for of in found.values())


@pytest.mark.usefixtures("_benchmarks")
def test_a_proof_that_does_not_hold_or_is_of_something_else_fails_its_task(monkeypatch):
    """A bracket that is called proven, but is open, and a verifier that refutes."""
    from dataclasses import replace

    from benchmarks import proofs
    from benchmarks.answer import Answer, TooSlowError
    from benchmarks.data import Table
    from benchmarks.judging import judge

    from separatrix import minimum_errors

    problem = Table(40, 2, noise=0.2).draw(np.random.default_rng(0))
    closed = minimum_errors(problem.X, problem.y)
    assert proofs.of_fewest_mistakes(closed, problem).kilobytes > 0.1
    below = replace(closed, exact_lower=closed.exact_lower - 1, packing=None)
    with pytest.raises(proofs.UnprovenError, match="another claim"):
        proofs.of_fewest_mistakes(below, problem)
    monkeypatch.setattr(proofs, "CLOSED", ("words that are not there",))
    with pytest.raises(proofs.UnprovenError, match="VERIFIED"):
        proofs.of_fewest_mistakes(closed, problem)
    monkeypatch.setattr(proofs, "LONGEST", 1e-4)
    with pytest.raises(TooSlowError, match="the proof took more"):
        proofs.of_fewest_mistakes(closed, problem)
    slow = Answer(closed.weights, 1.0, prove=lambda: proofs.of_fewest_mistakes(closed, problem))
    found = judge(slow, problem, "perceptron error")
    assert (found.proven, found.proof) == (False, None)
    assert found.text.startswith("a line, unproven: the proof took more")


def test_the_fewest_mistakes_come_with_a_checked_proof(run):
    printed, written = run
    (measurement,) = of_kind(written, "fewest 200x2")
    judged = measurement["entries"][0]["judgement"]
    assert judged["proven"]
    assert judged["text"].endswith("proven")
    assert set(judged["proof"]) == {"kilobytes", "proving", "seconds"}
    assert min(judged["proof"].values()) > 0.0
    assert f"{judged['proof']['kilobytes']:.3g} kB" in printed
    assert all(m["entries"][0]["judgement"]["proof"] is None for m in of_kind(written, *LINES))


@pytest.mark.usefixtures("_benchmarks")
def test_a_second_thread_is_measured_in_fresh_processes():
    from benchmarks.threads import doubled

    for found in doubled(["least squares 200x2", "fewest 60x3, limited"], "tiny", 0, turns=1):
        assert found.one.min > 0.0
        assert found.one_to_two.median == found.one.median / found.two.median
        assert found.same_bytes


@pytest.mark.usefixtures("_benchmarks")
def test_another_answer_of_two_threads_is_a_failure(monkeypatch):
    from benchmarks import suite, threads

    def other(*task):
        return threads.Least(1.0, "one" if task[-1] == 1 else "two")

    said = []
    monkeypatch.setattr(threads, "_child", other)
    monkeypatch.setattr(threads, "TASKS", ("fewest 60x3, limited",))
    found = suite.run(seed=0, threads=1, size="tiny", only=["threads"], say=said.append)
    assert found["failed"] == {"fewest 60x3, limited": "two threads gave other bytes than one"}
    assert "OTHERS" in said[-2]
    assert said[-1].startswith("\nFAILED: fewest 60x3, limited")


@needs_shared
@pytest.mark.usefixtures("_benchmarks")
def test_digits_on_the_reference_tables():
    from benchmarks.adapters import numpy_steps
    from benchmarks.nist import digits

    found = digits([numpy_steps.LeastSquares(), numpy_steps.NormalEquations()])
    assert list(found) == ["Filip", "Wampler1", "Wampler5", "Longley"]
    assert found["Longley"]["NumPy lstsq"] > 10
    assert found["Filip"]["bare normal equations"] < 1
    assert not digits([], ROOT / "no such file")
