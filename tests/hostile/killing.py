"""A command killed while it writes: before calls that make, give or take names, and at a write.

`python -m tests.hostile.killing SPECS` imports the command line and runs each command once, so that
kernels and fonts are loaded; each run that is killed is a fork of it. A first one says how many
calls there are, from the first that makes a file in the folder of the outputs; the kills are spread
over them, half over no files and half over former ones: at each of them the process is killed once,
and once it is killed by what it writes next, by a limit on the size of files.
"""

import contextlib
import hashlib
import itertools
import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
from pathlib import Path

CALLS = {"open", "os.mkdir", "os.link", "os.rename", "os.remove", "os.rmdir", "os.chmod", "fsync"}
MAKES_FILE = os.O_CREAT | os.O_TMPFILE & ~os.O_DIRECTORY
TOOK = re.compile(rb'class="took">[^<]*<')


def run(arguments, folder, kill_at=None, by_write=False):
    """Run a command in a fork; return how it ended, and how many calls it made if it did so."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        _be(arguments, folder, kill_at, by_write, writing)
    os.close(writing)
    with open(reading) as told:
        calls = told.read()
    return os.waitpid(pid, 0)[1], int(calls or 0)


def _be(arguments, folder, kill_at, by_write, writing):
    from separatrix import cli

    os.chdir(folder)
    nowhere, calls, sync = os.open(os.devnull, os.O_RDWR), -1, os.fsync
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)

    def heard(event, given):
        nonlocal calls
        if event in CALLS and (calls >= 0 or makes_file(event, given, folder)):
            calls += 1
            if calls == kill_at and by_write:
                resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
            elif calls == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

    os.fsync = lambda file: (sys.audit("fsync", file), sync(file))
    sys.addaudithook(heard)
    try:
        cli.main(arguments)
    except SystemExit as leave:
        os.write(writing, str(calls + 1).encode())
        os._exit(leave.code or 0)


def makes_file(event, given, folder):
    named = isinstance(given[0], str | os.PathLike) and os.fspath(given[0]).startswith(folder)
    return named and (event == "os.mkdir" or (event == "open" and bool(given[2] & MAKES_FILE)))


def content(path):
    """Return a file's bytes but for the times in a report; None where there is none."""
    return TOOK.sub(b"", path.read_bytes()) if path.exists() else None


def judged(folder, outputs, former, new, inputs):
    """Return which files are new after a kill, and what is wrong with the folder."""
    from separatrix.files import write_atomically

    found = [content(folder / name) for name in outputs]
    is_new = [a == b for a, b in zip(found, new, strict=True)]
    kept = [a in both for a, *both in zip(found, former, new, strict=True)]
    wrong = [] if all(kept) else [f"neither old nor new: {kept}"]
    if sorted(is_new, reverse=True) != is_new:
        wrong.append(f"files took their names out of order: {is_new}")
    write_atomically(folder / "next", "of another command")
    (folder / "next").unlink()
    after = {path.name for path in folder.iterdir()} - {*outputs, *inputs}
    if after:
        wrong.append(f"left over after the next command: {sorted(after)}")
    return is_new, wrong


def campaign(folder, arguments, outputs, kills):
    """Kill a command so many times; return what was found."""
    folder = Path(folder).resolve()
    inputs = [path.name for path in folder.iterdir()]
    status, calls = run(arguments, str(folder))
    if status or not calls:
        raise SystemExit(f"{arguments} ended with {status} after {calls} calls")
    new = [content(folder / name) for name in outputs]
    found = {"calls": calls, "kills": 0, "old": 0, "new": 0, "mixed": 0, "wrong": []}
    for former in ([None] * len(outputs), former_of(outputs)):
        _prepare(folder, outputs, former)
        _, calls = run(arguments, str(folder))
        share = -(-kills // 2)
        for k, by_write in itertools.product(range(share), (False, True)):
            _prepare(folder, outputs, former)
            kill_at = (k + 1) * calls // (share + 1)
            status, _ = run(arguments, str(folder), kill_at, by_write)
            found["kills"] += os.WIFSIGNALED(status) and not by_write
            is_new, wrong = judged(folder, outputs, former, new, inputs)
            found["new" if all(is_new) else "mixed" if any(is_new) else "old"] += 1
            found["wrong"] += [f"{arguments[0]}, call {kill_at}, {by_write}: {a}" for a in wrong]
    return found


def former_of(outputs):
    """Former contents of the outputs; a proof has the digest of the table beside it."""
    table = b"old table"
    text = f"old {hashlib.sha256(table).hexdigest()}".encode()
    return [table if name.endswith(".table.csv") else text for name in outputs]


def _prepare(folder, outputs, former):
    for path in folder.glob(".*"):
        shutil.rmtree(path)
    for name, old in zip(outputs, former, strict=True):
        (folder / name).unlink(missing_ok=True)
        if old is not None:
            (folder / name).write_bytes(old)


def rehearse(folder, arguments, **_):
    """Run a command once in a copy of its folder: what it loads is loaded for all forks."""
    from separatrix import cli

    with (
        tempfile.TemporaryDirectory() as copy,
        open(os.devnull, "w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
        contextlib.suppress(SystemExit),
    ):
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        with contextlib.chdir(copy):
            cli.main(arguments)


def main(specs):
    import matplotlib.pyplot  # noqa: F401  # loaded once, for all forks
    import sklearn.multiclass  # noqa: F401

    from separatrix import cli, exporting, model, predicting, proving, report, tables, verdict  # noqa: F401

    for spec in specs:
        rehearse(**spec)
    print(json.dumps([campaign(**spec) for spec in specs]))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
