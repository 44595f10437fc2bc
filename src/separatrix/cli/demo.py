"""`separatrix demo`."""

from __future__ import annotations

import click

from separatrix.cli.options import quiet_option
from separatrix.cli.showing import print_verdict, progress


@click.command(short_help="Judge a famous table: can a line separate it?")
@quiet_option
@click.option("--json", "as_json", is_flag=True, help="The verdict as JSON on stdout.")
def demo(quiet: bool, as_json: bool) -> None:  # click passes flags so
    """Judge the breast-cancer table that everybody teaches with: is it linearly separable."""
    with progress(quiet) as tell:
        from separatrix.report.demo import comparison, demo_verdict

        tell("compare with scikit-learn")
        verdict = demo_verdict(tell)
        beside = comparison(verdict)
    print_verdict(verdict, as_json=as_json, more=[beside])
