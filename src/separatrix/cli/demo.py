"""`separatrix demo`."""

from __future__ import annotations

import click

from separatrix.cli.options import print_options, quiet_option
from separatrix.cli.showing import print_verdict, progress

STEPS = (
    "separatrix check TABLE.csv",
    "separatrix learn TABLE.csv --label COLUMN",
    "separatrix animate --demo -o {}",
)


@click.command(short_help="Judge a famous table: can a line separate it?")
@print_options
@quiet_option
def demo(full: bool, lang: str | None, as_json: bool, quiet: bool) -> None:  # click passes flags so
    """Judge the breast-cancer table that everybody teaches with: is it linearly separable."""
    with progress(quiet) as tell:
        from separatrix.files import free_name
        from separatrix.report.demo import comparison, demo_verdict
        from separatrix.report.screen import NextSteps

        tell("compare with scikit-learn")
        verdict = demo_verdict(tell)
        beside = comparison(verdict)
    steps = [step.format(free_name("pla.gif")) for step in STEPS]
    after = NextSteps(None, tuple(zip(steps, steps, strict=True)), "separatrix demo", ())
    print_verdict(verdict, as_json=as_json, full=full, lang=lang, next_steps=after, first=[beside])
