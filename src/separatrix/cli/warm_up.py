"""`separatrix warm-up`."""

from __future__ import annotations

import click

from separatrix.cli.options import quiet_option
from separatrix.cli.outputs import note_written
from separatrix.cli.showing import compile_bar, write_out


@click.command(short_help="Compile all that commands need, now.")
@quiet_option
def warm_up(quiet: bool) -> None:  # click passes flags so
    """Compile the kernels of all commands, on all cores, and keep their machine code."""
    from separatrix.kernels.warm_up import compile_all

    note_written("the code of the kernels compiled so far")  # kept when interrupted
    with compile_bar(quiet) as advance:
        done = compile_all(advance)
    if done.folder is None:
        raise click.ClickException(
            "no folder takes compiled kernels: name one that can be written with NUMBA_CACHE_DIR."
        )
    if done.failed:
        why = f" ({done.reason})" if done.reason else ""
        raise click.ClickException(f"not in the cache{why}: {', '.join(done.failed)}.")
    new = f"{len(done.compiled)} kernels compiled" if done.compiled else "nothing to compile"
    write_out(f"{new}; the machine code is in {done.folder}\n")
