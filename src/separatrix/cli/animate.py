"""`separatrix animate`."""

from __future__ import annotations

import csv

import click

from separatrix._types import Untyped
from separatrix.cli.options import dialect_options, quiet_option, table_options
from separatrix.cli.outputs import note_written, output_option, refuse_outputs
from separatrix.cli.question import Question, asks
from separatrix.cli.showing import progress, say


@click.command(short_help="PLA on two columns, as a film.")
@click.argument("table", metavar="[TABLE]", required=False)
@click.option("--demo", is_flag=True, help="Made points that a line separates, instead of TABLE.")
@output_option("-o", "--output", kind="a film", required=True, help="The film: F.gif or F.mp4.")
@click.option("--columns", metavar="A,B", help="The two columns to show. [default: both of two, "
              "else the two principal directions]")  # fmt: skip
@click.option("--frames", type=int, default=100, show_default=True, help="The most frames.")
@click.option("--size", type=int, metavar="PIXELS", help="Pixels across. [default: 680]")
@click.option("--visit", type=click.Choice(["cyclic", "naive", "permuted", "random"]),
              default="cyclic", show_default=True, help="Which mistake PLA "
              "corrects next.")  # fmt: skip
@click.option("--max-updates", type=int, default=2000, show_default=True,
              help="PLA ends there if no line separates.")  # fmt: skip
@click.option("--raw", is_flag=True, help="Columns as they are: many more updates.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of permuted and random.")
@asks(table_options, dialect_options)
@quiet_option
def animate(  # noqa: PLR0917  # click passes by name
    question: Question, demo: bool, output: str, columns: str | None, raw: bool, seed: int,
    **how: Untyped,
) -> None:  # fmt: skip
    """Show PLA on two columns of TABLE as a film: the mistakes, the line turning, the pocket."""
    if bool(question.tables) == demo:
        raise click.UsageError("Give a TABLE or --demo, one of the two.")
    # a name that holds a comma stands in quotes, as in a CSV file
    pair = columns and next(csv.reader([columns], skipinitialspace=True), [])
    if columns is not None and len(pair or []) != 2:
        raise click.UsageError(
            "--columns takes two names with a comma between them; quote a name that holds one: "
            "'\"a, b\",c'."
        )
    how |= {"columns": pair, "standardise": not raw, "random_state": seed}
    with progress(question.quiet) as tell:
        from separatrix.report.animation.making import refuse_film

        refuse_outputs(*question.tables)
        refuse_film(output, how["frames"])
        if demo:
            from separatrix.report.animation.making import animate_demo

            film = animate_demo(output, progress=tell, **how)
        else:
            from separatrix.report.animation.making import animate_table

            with question.opened(tell, one_question=True) as table:
                film = animate_table(table, output, degree=question.degree, progress=tell, **how)
        note_written(output)
    if not question.quiet:
        say(film.summary)
