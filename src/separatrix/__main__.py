"""Where `separatrix` and ``python -m separatrix`` begin."""

import contextlib
import os
import signal
import sys
import weakref
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; an interrupt while it is still being loaded is one, too."""
    code: object = 130
    try:
        from separatrix._loading import load_lean

        load_lean()
        from separatrix.cli import main as run

        run()
    except SystemExit as leave:
        code = leave.code
    except KeyboardInterrupt:
        pass
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # too late to interrupt anything
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    # `os._exit` would leave what an interrupt's traceback still holds: folders of scratch
    weakref.finalize._exitfunc()  # type: ignore[attr-defined]
    os._exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
