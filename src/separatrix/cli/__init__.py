"""The command line: parse, read, learn, write, exit code. No mathematics.

Exit codes: 0 done, 1 and 3 as `verify` says, 2 usage or bad input, 130 interrupted. Results go to
stdout, everything else to stderr. Nothing heavy is imported before a command needs it, so that
``--help`` answers at once.
"""

from __future__ import annotations

from separatrix.cli.commands import commands, main
