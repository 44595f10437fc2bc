"""Processes that fill a cache of kernels at once, or are killed while they do; for test_cache.py.

``cache_writers.py CACHES PAIRS KILLS`` forks its processes, so that Numba is loaded only once, and
prints what came of them as JSON.
"""

import itertools
import json
import logging
import os
import random
import resource
import signal
import sys
import time
from pathlib import Path

from numba import config, njit

SPAN = 0.5  # seconds in which kills at any moment fall
SMALLEST = 5000  # bytes; every file of these kernels is larger
RIGHT, WRONG, COMPILED = 0, 1, 2


def begin(cache: Path, most_bytes: int | None = None) -> int:
    """Return the id of a process that uses the kernels with a cache; its exit code is one above.

    The system kills it, as SIGKILL would, when a file that it writes grows beyond `most_bytes`.
    """
    process = os.fork()
    if process:
        return process
    code = WRONG
    if most_bytes is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    try:
        config.CACHE_DIR = str(cache)
        said: list[logging.LogRecord] = []
        handler = logging.Handler(logging.INFO)
        handler.emit = said.append
        log = logging.getLogger("separatrix")
        log.setLevel(logging.INFO)
        log.addHandler(handler)
        from separatrix.kernels.callee import one  # the tiny package that the test has made
        from separatrix.kernels.caller import four, three, two

        if (four(0), four(0.5), three(0), two(0), one(0)) == (4, 4.5, 3, 2, 1):
            code = COMPILED if said else RIGHT
    finally:
        os._exit(code)


def ended(process: int) -> int:
    """Return how a process ended; negative for the signal that killed it."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def main(caches: Path, pairs: int, kills: int) -> None:
    """Run all cases and print them."""
    njit(lambda x: x + 1)(1)
    draws = random.Random(0)
    folders = (caches / str(k) for k in itertools.count())
    codes: list[int] = []  # of processes that were not killed
    loads: list[int] = []  # of those after them
    halves: list[tuple[int, int, list[int]]] = []  # where killed, how it ended, sizes left behind
    for _ in range(pairs):
        cache = next(folders)
        codes += map(ended, [begin(cache), begin(cache)])
        loads.append(ended(begin(cache)))
    for k in range(kills):
        cache = next(folders)
        if k % 2:
            process = begin(cache)
            time.sleep(draws.uniform(0.0, SPAN))
            os.kill(process, signal.SIGKILL)
            ended(process)
        else:
            most = draws.randrange(SMALLEST)
            code = ended(begin(cache, most))
            halves.append((most, code, [f.stat().st_size for f in cache.glob("*/*.tmp")]))
        codes.append(ended(begin(cache)))
        loads.append(ended(begin(cache)))
    print(json.dumps({"codes": codes, "loads": loads, "halves": halves}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
