"""All kernels compiled at once: each once, by whoever comes first, whatever happens on the way."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

from separatrix.kernels._machine import cores
from separatrix.kernels.entry_points import entry_points
from tests.scratch_kernels import ANSWERS, ENTRY_POINTS, environment, make_package, run

WARM_UP = """
import dataclasses, json
from separatrix.kernels.warm_up import compile_all
if __name__ == "__main__":
    told = []
    done = compile_all(lambda underway: told.append(underway))
    print(json.dumps([dataclasses.asdict(done), told], default=str))
"""
NAMES = ["caller.three", "caller.two", "callee.one"]


@pytest.fixture
def package(tmp_path):
    make_package(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def warmed(tmp_path_factory):
    """Return a package with a warm cache, and what the warm-up told."""
    folder = tmp_path_factory.mktemp("warmed")
    make_package(folder)
    return folder, outcome(begin(folder))


def begin(package: Path, before: str = "", **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", before + WARM_UP],
        env={**environment(package, package / "cache"), **more},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def outcome(process: subprocess.Popen[str]) -> tuple[dict[str, object], list[list[object]]]:
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    done, told = json.loads(out)
    return done, told


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """Return the ids of a process's children."""
    found = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, check=False)
    return [int(line) for line in found.stdout.split()]


def wait_for(condition) -> None:
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail("waited for a minute")


def is_running(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{number}/stat").read_text().split()[2]


def test_workers_compile_every_kernel_once_into_a_cache_that_others_load(warmed):
    package, (done, told) = warmed
    assert (done["ready"], done["failed"]) == (0, [])
    assert sorted(done["compiled"]) == sorted(2 * NAMES)
    assert told[0] == [0, 6, 0, ""]  # before a worker has begun
    assert (told[-1][:3], told[-1][3] in NAMES) == ([6, 6, 6], True)
    assert told == sorted(told, key=lambda underway: underway[:3])
    assert run(package, package / "cache") == [ANSWERS]


def test_a_second_warm_up_starts_nothing(warmed):
    done, told = outcome(begin(warmed[0], "import subprocess; subprocess.Popen = None\n"))
    assert (done["ready"], done["compiled"], told) == (6, [], [])


def test_two_at_once_share_the_work(package):
    both = [outcome(process)[0] for process in (begin(package), begin(package))]
    assert sorted(both[0]["compiled"] + both[1]["compiled"]) == sorted(2 * NAMES)


ON_ONE_CORE = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"


def test_a_kernel_that_cannot_be_compiled_costs_no_other(package):
    table = package / "separatrix" / "kernels" / "entry_points.py"
    spoilt = "(EntryPoint(one, (none,)), *points(three, three))"
    text = "from numba import none" + ENTRY_POINTS.replace("points(three)", spoilt)
    table.write_text(text)
    done, _ = outcome(begin(package, ON_ONE_CORE))
    assert done["failed"] == ["callee.one"]
    assert run(package, package / "cache") == [ANSWERS]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_warm_up_that_is_ended_leaves_no_process_and_a_cache_that_works(package, number):
    process = begin(package)
    wait_for(lambda: workers_of(process))
    workers = workers_of(process)
    time.sleep(0.3)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode != 0
    wait_for(lambda: not any(map(is_running, workers)))
    assert run(package, package / "cache")[-1] == ANSWERS


def test_what_a_killed_worker_was_at_is_compiled_by_another(package):
    process = begin(package, ON_ONE_CORE)
    wait_for(lambda: workers_of(process))
    wait_for(lambda: list((package / "cache").rglob("*.nbc")))
    for worker in workers_of(process):
        os.kill(worker, signal.SIGKILL)
    done, told = outcome(process)
    assert (done["failed"], told[-1][:2]) == ([], [6, 6])
    assert run(package, package / "cache") == [ANSWERS]


@pytest.mark.parametrize("python", ["'/nowhere'", "'/bin/true'"])
def test_without_workers_nothing_is_compiled_and_nothing_hangs(package, python):
    done, told = outcome(begin(package, f"import sys; sys.executable = {python}\n"))
    assert (len(done["failed"]), done["compiled"], told) == (6, [], [[0, 6, 0, ""]])


def test_code_that_cannot_be_kept_ends_the_warm_up_with_the_reason(package):
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    done, _ = outcome(begin(package, limit))
    assert len(done["failed"]) == 6
    assert "File too large" in done["reason"]


def test_without_a_compiler_there_is_nothing_to_do(package):
    done, told = outcome(begin(package, NUMBA_DISABLE_JIT="1"))
    assert (done["ready"], done["compiled"], done["failed"], told) == (0, [], [], [])


HELPED = """
import sys, time
from pathlib import Path
from separatrix.kernels._misses import helped
from separatrix.kernels.callee import one
from separatrix.kernels.caller import two
cache = Path(sys.argv[1])
with helped():
    one(0)
    while len(list(cache.rglob("*.nbc"))) < 6:
        time.sleep(0.01)
    print([two(0.5), len(two.overloads), len(one.overloads)])
"""


@pytest.mark.skipif(cores() < 2, reason="nobody helps on one core")
def test_while_one_process_compiles_what_it_calls_others_compile_what_comes_next(package):
    cache = package / "cache"
    command = [sys.executable, "-c", HELPED, str(cache)]
    process = subprocess.Popen(
        command, env=environment(package, cache), stdout=subprocess.PIPE, text=True
    )
    wait_for(lambda: workers_of(process))
    workers = workers_of(process)
    out, _ = process.communicate(timeout=120)
    assert (process.returncode, out) == (0, "[2.5, 1, 1]\n")
    assert not any(map(is_running, workers))


def test_no_entry_point_is_listed_twice():
    listed = Counter((point.name, point.types) for point in chain(*entry_points()))
    assert set(listed.values()) == {1}
