"""The commands, a line here for each, and how they end: exit codes, signals; never a traceback.

Files are written before anything is printed. Where printing then fails the code says so, and the
message names the files, which stay:

- the reader of the pipe has gone: 0, as for any program in a pipe;
- stdout cannot be written (a full disk): 2;
- stderr cannot be written: notes are dropped, and the code is that of the command;
- interrupted while printing: 130.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from typing import NoReturn

import click

from separatrix._version import __version__
from separatrix.cli.check import check
from separatrix.cli.course import animate, demo, experiment, grade, lab, make
from separatrix.cli.export import export, predict
from separatrix.cli.infer import infer
from separatrix.cli.learn import learn
from separatrix.cli.options import quiet_option
from separatrix.cli.outputs import Written, note_written
from separatrix.cli.proofs import prove, verify
from separatrix.cli.showing import (
    command_line,
    compile_line,
    discard,
    dropped_notes,
    say,
    write_out,
)
from separatrix.said import Said


@click.command(short_help="Compile all that commands need, now.")
@quiet_option
def warm_up(quiet: bool) -> None:  # click passes flags so
    """Compile the kernels of all commands, on all cores, and keep their machine code."""
    from separatrix.kernels.warm_up import compile_all

    note_written("the code of the kernels compiled so far")  # kept when interrupted
    with compile_line(quiet) as advance:
        done = compile_all(advance)
    if done.folder is None:
        raise click.ClickException(
            "no folder takes compiled kernels: name one that can be written with NUMBA_CACHE_DIR."
        )
    if done.failed:
        why = f" ({done.reason})" if done.reason else ""
        raise click.ClickException(f"not in the cache{why}: {', '.join(done.failed)}.")
    new = f"{len(done.compiled)} kernels compiled; the machine code is in {done.folder}"
    write_out(f"{new if done.compiled else 'nothing to compile'}\n")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="separatrix")
def commands() -> None:
    """Learn a yes / no line from a table, and prove it."""


for command in (
    demo, check, learn, infer, predict, export, prove, verify, make, experiment, animate, lab,
    grade, warm_up,
):  # fmt: skip
    commands.add_command(command)


BAD_INPUT = 2
INTERRUPTED = 130
OUR_FAULT = 70  # EX_SOFTWARE


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit; never with a traceback."""
    _prepare_streams()
    for name in ("SIGTERM", "SIGHUP"):  # leave by the doors that clean up
        if hasattr(signal, name):
            number = getattr(signal, name)
            signal.signal(number, lambda n, _: sys.exit(128 + n))
    written = Written()
    code = _run(arguments, written)
    try:
        sys.stdout.flush()
    except OSError as error:
        code = code or _unprinted(error, written)
    sys.exit(code)


def _run(arguments: list[str] | None, written: Written) -> int:  # noqa: PLR0911  # ways to end
    """Return the exit code of a command; what it raises becomes one line on stderr."""
    name = "separatrix"
    try:
        code = commands.main(arguments, prog_name=name, standalone_mode=False, obj=written)
    except click.ClickException as error:
        with dropped_notes():
            error.show()
        return BAD_INPUT
    except (KeyboardInterrupt, click.Abort):
        return _interrupted(written)
    except SystemExit as leave:
        if leave.code == 1:  # what click does when the reader of the pipe has gone
            discard(sys.stdout)
            return 0
        return leave.code if isinstance(leave.code, int) else 0
    except OSError as error:
        if isinstance(error.__context__, KeyboardInterrupt):  # click's new line found no reader
            discard(sys.stderr)
            return _interrupted(written)
        if isinstance(error, BrokenPipeError):
            discard(sys.stdout)
            return 0
        if error.errno in (errno.ENOSPC, errno.EIO, errno.EBADF):
            return _unprinted(error, written)
        return _explained(error)
    except MemoryError:
        return _told("error: the machine ran out of memory. Use fewer rows or columns.", BAD_INPUT)
    except Exception as error:  # one line, never a traceback
        return _explained(error)
    return code if isinstance(code, int) else 0  # what click makes of an Exit


def _explained(error: Exception) -> int:
    from separatrix.data import InputError, typed

    if isinstance(error, InputError):
        return _told(Said("error: {why}", why=typed(error)), BAD_INPUT)
    if os.environ.get("SEPARATRIX_TRACEBACK"):
        traceback.print_exc()
    return _told(
        f"this is our mistake, not yours: {type(error).__name__}: {error}. Please report it; "
        "SEPARATRIX_TRACEBACK=1 shows where.",
        OUR_FAULT,
    )


def _interrupted(written: Written) -> int:
    kept = written.checkpoint
    if kept is None or not os.path.exists(kept):
        what = str(written) if written else Said("nothing was written")
        return _told(Said("interrupted; {what}.", what=what), INTERRUPTED)
    return _told(
        f"interrupted; {written or 'no result was written'}. What is done is kept in {kept}; go on "
        f"with: {command_line()}",
        INTERRUPTED,
    )


def _unprinted(error: OSError, written: Written) -> int:
    """Return the code for a stdout that takes nothing; name the files that stay."""
    discard(sys.stdout)
    files = f" {written}." if written else ""
    return _told(f"error: cannot write the output: {error.strerror}.{files}", BAD_INPUT)


def _told(sentence: str, code: int) -> int:
    say(sentence)
    return code


def _prepare_streams() -> None:
    """Give closed streams a place to go: a program may be started without any of them."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  # for the whole process
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
