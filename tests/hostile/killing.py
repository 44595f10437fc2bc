"""A command killed at every system call of its writing, from outside.

`python -m tests.hostile.killing SPEC` imports the command line and runs the command once, so that
kernels and fonts are loaded; each run that is watched is a fork of it, traced by `ptrace`. The
trace counts stops, before and after each system call, from the first call that makes a file in the
folder of the outputs. The first run is not killed: it says how many stops there are. Then runs are
killed at stops spread over all of them, and the folder is looked at.
"""

import contextlib
import ctypes
import hashlib
import json
import os
import re
import shutil
import signal
import struct
import sys
import tempfile
from pathlib import Path

TRACEME, SYSCALL, SETOPTIONS, GET_SYSCALL_INFO = 0, 24, 0x4200, 0x420E
MARK_SYSCALLS, DIE_WITH_US = 0x1, 0x100000
ENTRY = 1
MAKES_FILE = os.O_CREAT | os.O_TMPFILE & ~os.O_DIRECTORY
TOOK = re.compile(rb'class="took">[^<]*<')

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


def ptrace(request, pid=0, address=None, data=None):
    """Call ptrace; `OSError` where it is not permitted."""
    found = _libc.ptrace(request, pid, address, data)
    if found < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return found


def text_at(pid, address):
    """Return up to 256 bytes of a process's memory, to the first NUL."""
    try:
        memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.pread(memory, 256, address).split(b"\0")[0]
    except OSError:
        return b""
    finally:
        os.close(memory)


def makes_file_in(pid, folder, info):
    """Whether a process is about to make a file in a folder: open or openat with such flags."""
    if info[0] != ENTRY:
        return False
    arguments = struct.unpack_from("6Q", info, 32)
    return any(
        flags & MAKES_FILE and text_at(pid, path).startswith(folder)
        for path, flags in (arguments[0:2], arguments[1:3])
    )


def traced(arguments, folder, kill_at=None):
    """Run a command in a folder; return the stops of its writing, and of these the last of use.

    `kill_at`: the stop at which it is killed.
    """
    pid = os.fork()
    if pid == 0:
        _be(arguments, folder)
    os.waitpid(pid, 0)
    ptrace(SETOPTIONS, pid, None, MARK_SYSCALLS | DIE_WITH_US)
    info = ctypes.create_string_buffer(88)
    stops, last_use, before, signal_to_pass = -1, 0, None, 0
    while True:
        ptrace(SYSCALL, pid, None, signal_to_pass)
        _, status = os.waitpid(pid, 0)
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            return stops, last_use, status
        at_syscall = os.WSTOPSIG(status) == signal.SIGTRAP | 0x80
        signal_to_pass = 0 if at_syscall else os.WSTOPSIG(status)
        if not at_syscall:
            continue
        if stops < 0:
            ptrace(GET_SYSCALL_INFO, pid, len(info), ctypes.addressof(info))
            if not makes_file_in(pid, os.fsencode(folder), bytes(info)):
                continue
        stops += 1
        if kill_at is None:
            now = seen(folder)
            last_use = last_use if now == before else stops
            before = now
        elif stops == kill_at:
            os.kill(pid, signal.SIGKILL)
            return stops, stops, os.waitpid(pid, 0)[1]


def _be(arguments, folder):
    """Become the command, in a process that is traced by its parent."""
    from separatrix import cli

    os.chdir(folder)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    ptrace(TRACEME)
    os.kill(os.getpid(), signal.SIGSTOP)
    try:
        cli.main(arguments)
    except SystemExit as leave:
        os._exit(leave.code or 0)


def seen(folder):
    """Return what the names in a folder stand for."""
    return sorted((entry.name, entry.inode()) for entry in os.scandir(folder))


def content(path):
    """Return a file's bytes but for the times in a report; None where there is none."""
    return TOOK.sub(b"", path.read_bytes()) if path.exists() else None


def judged(folder, outputs, former, new, inputs):
    """Return what is wrong with a folder after a kill, and whether a staging folder is left."""
    found = [content(folder / name) for name in outputs]
    is_new = [a == b for a, b in zip(found, new, strict=True)]
    wrong = [
        f"{name} is neither old nor new"
        for name, a, old, fresh in zip(outputs, found, former, is_new, strict=True)
        if not fresh and a != old
    ]
    if sorted(is_new, reverse=True) != is_new:
        wrong.append(f"files took their names out of order: {is_new}")
    known = {*outputs, *inputs}
    left = {path.name for path in folder.iterdir()} - known
    from separatrix.files import write_atomically

    write_atomically(folder / "next", "of another command")
    (folder / "next").unlink()
    after = {path.name for path in folder.iterdir()} - known
    if after:
        wrong.append(f"left over after the next command: {sorted(after)}")
    return wrong, bool(left)


def campaign(folder, arguments, outputs, kills):
    """Kill a command at so many stops, half of them over former files; return what was found."""
    folder = Path(folder)
    inputs = [path.name for path in folder.iterdir()]
    stops, last_use, status = traced(arguments, str(folder))
    if status or stops < 0:
        raise SystemExit(f"{arguments} ended with {status} after {stops} stops")
    new = [content(folder / name) for name in outputs]
    found = {"stops": {}, "kills": 0, "old": 0, "new": 0, "mixed": 0, "left": 0, "wrong": []}
    for with_former in (False, True):
        former = former_of(outputs) if with_former else [None] * len(outputs)
        _prepare(folder, outputs, former)
        _, last_use, status = traced(arguments, str(folder))
        found["stops"][str(with_former)] = last_use
        share = kills // 2 + (kills % 2 if with_former else 0)
        for j in range(share):
            _prepare(folder, outputs, former)
            _, _, status = traced(arguments, str(folder), kill_at=j * (last_use + 2) // share)
            found["kills"] += os.WIFSIGNALED(status)
            wrong, left = judged(folder, outputs, former, new, inputs)
            is_new = [content(folder / name) == b for name, b in zip(outputs, new, strict=True)]
            found["new" if all(is_new) else "mixed" if any(is_new) else "old"] += 1
            found["left"] += left
            found["wrong"] += [f"{arguments[0]}, stop {j}: {what}" for what in wrong]
    return found


def former_of(outputs):
    """Former contents of the outputs; a proof has the digest of the table beside it."""
    table = b"old table"
    digest = hashlib.sha256(table).hexdigest()
    return [
        table if name.endswith(".table.csv") else f"old {name} {digest}".encode()
        for name in outputs
    ]


def rehearse(folder, arguments):
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


def _prepare(folder, outputs, former):
    for path in folder.glob(".*"):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    for name, old in zip(outputs, former, strict=True):
        (folder / name).unlink(missing_ok=True)
        if old is not None:
            (folder / name).write_bytes(old)


if __name__ == "__main__":
    import matplotlib.pyplot  # noqa: F401  # loaded once, for all forks
    import sklearn.multiclass  # noqa: F401

    from separatrix import cli, exporting, model, predicting, proving, report, tables, verdict  # noqa: F401

    spec = json.loads(sys.argv[1])
    rehearse(spec["folder"], spec["arguments"])
    print(json.dumps(campaign(**spec)))
