"""`separatrix make`."""

from __future__ import annotations

import click

from separatrix._types import Untyped
from separatrix.cli.options import quiet_option
from separatrix.cli.outputs import output_option, refuse_outputs, write_files
from separatrix.cli.showing import progress, say, write_out

MADE = {"credit": "a table of credits", "graduation": "a table of graduations"}


@click.command(short_help="Make a table with a known target.")
@click.argument("name", metavar="NAME",
                type=click.Choice(["separable", "noisy", "credit", "graduation"]))  # fmt: skip
@output_option("-o", "--output", stdout=True,
               kind=lambda asked: MADE.get(asked["name"], "a table of points"),
               help="Write the table to F (Parquet if it ends in .parquet, else CSV); - or none: "
               "CSV on stdout.")  # fmt: skip
@click.option("--rows", type=int, metavar="N", help="How many rows.")
@click.option("--columns", type=int, metavar="D",
              help="How many numbers in a row (separable, noisy).")  # fmt: skip
@click.option("--margin", type=float, metavar="M", help="At least this far from the target, "
              "exactly, in the space of (1, x) (separable, noisy).")  # fmt: skip
@click.option("--flip", type=float, metavar="P", help="Probability that a label is turned round "
              "(all but separable).")  # fmt: skip
@click.option("--missing", type=float, metavar="P",
              help="Share of cells left empty (credit, graduation).")  # fmt: skip
@click.option("--seed", type=int, metavar="S", default=0, show_default=True,
              help="The same seed makes the same bytes.")  # fmt: skip
@quiet_option
def make(name: str, output: str | None, quiet: bool, **asked: Untyped) -> None:
    """Make a table with a known target, which is printed on stderr."""
    with progress(quiet) as tell:
        from separatrix.course.datasets import made_by_name

        refuse_outputs()
        tell("making")
        table = made_by_name(name, {key: v for key, v in asked.items() if v is not None})
        if output in (None, "-"):
            write_out(table.to_csv())
        else:
            as_parquet = output.lower().endswith(".parquet")
            write_files({output: table.to_parquet() if as_parquet else table.to_csv()})
    if not quiet:
        say(table.about)
