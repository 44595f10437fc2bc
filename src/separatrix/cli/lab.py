"""`separatrix lab`."""

from __future__ import annotations

import click

from separatrix.cli.options import quiet_option
from separatrix.cli.outputs import output_option, refuse_outputs, write_files
from separatrix.cli.showing import say


@click.command(short_help="A page to put points on, where the line turns.")
@output_option("-o", "--output", kind="the lab", help="Write the page to F, one file that opens "
               "without a network, instead of serving it.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="P",
              help="Serve it at this port. [default: a free one]")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Open no browser.")
@quiet_option
def lab(output: str | None, port: int, no_browser: bool, quiet: bool) -> None:
    """Open the lab: put points on the plane and watch PLA, the pocket and others find a line."""
    from separatrix.lab import single_file

    if output is not None:
        refuse_outputs()
        write_files({output: single_file()})
        if not quiet:
            say(f"Open {output} in a browser: it needs no network.")
        return
    import webbrowser

    from separatrix.data import InputError
    from separatrix.lab.server import server

    try:
        serving = server(port)
    except OSError as error:
        raise InputError(
            f"port {port} cannot be used ({error.strerror}): choose another, or leave --port out."
        ) from None
    address = f"http://127.0.0.1:{serving.server_address[1]}/"
    with serving:
        if not quiet:
            say(f"The lab is at {address} (Ctrl-C ends it).")
        if not no_browser:
            webbrowser.open(address)
        try:
            serving.serve_forever()
        except KeyboardInterrupt:
            return
