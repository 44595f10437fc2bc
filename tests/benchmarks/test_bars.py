"""Bars are judged by the worst seed, and each has a task."""

from benchmarks.bars import NOTHING, Bar, Figure
from benchmarks.exact_tests import EXACT
from benchmarks.firth import SHAPES as FIRTH
from benchmarks.open_tables import TABLES as OPEN_TABLES
from benchmarks.proofs import PROOFS
from benchmarks.tasks import WHOLE
from benchmarks.threads import TASKS as THREADED

from benchmarks import bars


def test_bars_are_judged_by_the_worst_seed():
    more, less = Bar("more", 2.0, 4.0, dict), Bar("less", 4.0, 2.0, dict)

    def reached(bar, *values):
        return bar.reached([Figure(value) for value in values])

    assert [reached(more, *v) for v in ([4, 9], [9, 3], [1.9, 9])] == ["goal", "must", "NO"]
    assert [reached(less, *v) for v in ([2, 1], [1, 3], [4.1, 1])] == ["goal", "must", "NO"]
    assert more.reached([Figure(9.0), NOTHING]) == "not measured"
    assert more.reached([]) == "not measured"


def test_every_bar_has_a_task_that_it_reads():
    """A bar whose task was renamed would silently be measured no more."""
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
                        "who": a.name, "to_ours": spread, "to_floor": spread, "seconds": spread,
                        "work": "proven", "judgement": judged,
                    }
                    for a in (task.ours, *task.peers, *task.beside)
                ],
            }
            for task in WHOLE
        ],
        "nist": {t: {"separatrix": 3.0} for t in ("Filip", "Wampler1", "Wampler5", "Longley")},
        "open tables": {t: {"upper": 3.0, "share": 3.0} for t in OPEN_TABLES},
        "firth": {shape: {"to_ours": spread} for shape in FIRTH},
        "exact tests": dict.fromkeys(EXACT, 3.0),
        "proofs": {what: {"kilobytes": 3.0, "seconds": 3.0} for what in PROOFS},
        "starting": {"fits": [{"what": "Perceptron().fit", "seconds": spread}]},
        "threads": [{"task": name, "one_to_two": spread} for name in THREADED],
    }  # fmt: skip
    assert bars.unmeasured([run]) == []
    table = bars.rows([run, run])
    assert table[0] == ("bar", "must", "goal", "seed 0", "seed 0", "reached", "against")
    assert {len(row) for row in table} == {7}
    assert {row[3] for row in table[1:]} == {"3"}
