"""The commands, a file each: a new one is one file and one line here."""

from __future__ import annotations

import click

from separatrix._version import __version__
from separatrix.cli.animate import animate
from separatrix.cli.check import check
from separatrix.cli.demo import demo
from separatrix.cli.experiment import experiment
from separatrix.cli.export import export
from separatrix.cli.grade import grade
from separatrix.cli.infer import infer
from separatrix.cli.lab import lab
from separatrix.cli.learn import learn
from separatrix.cli.make import make
from separatrix.cli.predict import predict
from separatrix.cli.proofs import prove, verify
from separatrix.cli.warm_up import warm_up


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="separatrix")
def commands() -> None:
    """Learn a yes / no line from a table, and prove it."""


for command in (
    demo, check, learn, infer, predict, export, prove, verify, make, experiment, animate, lab,
    grade, warm_up,
):  # fmt: skip
    commands.add_command(command)
