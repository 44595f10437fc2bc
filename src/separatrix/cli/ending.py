"""How the command line ends: exit codes, signals, closed pipes; never a traceback."""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from typing import NoReturn

import click

from separatrix.cli.commands import commands
from separatrix.cli.showing import discard_output

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
    code = _run(arguments)
    try:
        sys.stdout.flush()
    except OSError as error:
        code = code or _told(f"error: cannot write the output: {error.strerror}.", BAD_INPUT)
        discard_output()
    sys.exit(code)


def _run(arguments: list[str] | None) -> int:  # noqa: PLR0911  # one for each way to end
    """Return the exit code of a command; what it raises becomes one line on stderr."""
    try:
        code = commands.main(arguments, prog_name="separatrix", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return BAD_INPUT
    except (KeyboardInterrupt, click.Abort):
        return _told("interrupted; nothing was written.", INTERRUPTED)
    except SystemExit as leave:
        if leave.code == 1:  # click's way to say that nobody reads the pipe any more
            discard_output()
            return 0
        return leave.code if isinstance(leave.code, int) else 0
    except BrokenPipeError:
        discard_output()
        return 0
    except MemoryError:
        return _told("error: the machine ran out of memory. Use fewer rows or columns.", BAD_INPUT)
    except Exception as error:  # the last door: told, never shown as a traceback
        return _explained(error)
    return code if isinstance(code, int) else 0  # what click makes of an Exit


def _explained(error: Exception) -> int:
    from separatrix.data import InputError

    if isinstance(error, InputError):
        return _told(f"error: {error}", BAD_INPUT)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EIO, errno.EBADF):
        discard_output()
        return _told(f"error: cannot write the output: {error.strerror}.", BAD_INPUT)
    if os.environ.get("SEPARATRIX_TRACEBACK"):
        traceback.print_exc()
    return _told(
        f"this is our mistake, not yours: {type(error).__name__}: {error}. Please report it; "
        "SEPARATRIX_TRACEBACK=1 shows where.",
        OUR_FAULT,
    )


def _told(sentence: str, code: int) -> int:
    click.echo(f"separatrix: {sentence}", err=True)
    return code


def _prepare_streams() -> None:
    """Give closed streams a place to go: a program may be started without any of them."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  # for the whole process
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
