"""The commands of the course: demonstration, made tables, experiments, films, lab, homework."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from separatrix._types import Untyped
from separatrix.cli.options import quiet_option
from separatrix.cli.outputs import output_option, refuse_outputs, write_files
from separatrix.cli.showing import progress, say, write_out

if TYPE_CHECKING:
    from separatrix.course.experiments import Kind, Parameter
import csv
import glob
import os

from separatrix.cli.options import dialect_options, print_options, table_options
from separatrix.cli.outputs import note_written
from separatrix.cli.question import Question, asks
from separatrix.cli.showing import print_verdict


@click.command(short_help="A page to put points on, where the line turns.")
@output_option("-o", "--output", kind="the lab", help="Write the page to F, one file that opens "
               "without a network, instead of serving it.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="P",
              help="Serve it at this port. [default: a free one]")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Open no browser.")
@quiet_option
def lab(output: str | None, port: int, no_browser: bool, quiet: bool) -> None:
    """Open the lab: put points on the plane and watch PLA, the pocket and others find a line."""
    from separatrix.lab import server, single_file

    if output is not None:
        refuse_outputs()
        write_files({output: single_file()})
        if not quiet:
            say(f"Open {output} in a browser: it needs no network.")
        return
    import webbrowser

    from separatrix.data import InputError

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


class Experiments(click.Group):
    """The experiments are asked for their names and parameters when a name is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's
        from separatrix.course.experiments import EXPERIMENTS

        return list(EXPERIMENTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        from separatrix.course.experiments import EXPERIMENTS

        kind = EXPERIMENTS.get(cmd_name)
        return None if kind is None else _command(kind)


@click.command(cls=Experiments, short_help="Run an experiment of the course.")
def experiment() -> None:
    """Run an experiment of the course on made data: a table, JSON, a picture."""


def _command(kind: Kind) -> click.Command:
    def run(
        *, seed: int, as_json: bool, picture: str | None, quiet: bool, **asked: Untyped,
    ) -> None:  # fmt: skip
        with progress(quiet) as tell:
            from separatrix.course.experiments import experiment as run_experiment

            if picture is not None:
                from separatrix.report.drawing.style import refuse_no_picture

                refuse_no_picture(picture)
                refuse_outputs()

            def advance(done: int, of: int) -> None:
                tell(f"{kind.name}: {done} of {of} runs")

            found = run_experiment(kind.name, seed=seed, progress=advance, **asked)
            if picture is not None:
                from separatrix.report.displays.experiment import ExperimentDisplay
                from separatrix.report.drawing.style import SIZE, picture_bytes

                write_files({picture: picture_bytes(ExperimentDisplay(found).plot, SIZE, picture)})
        from separatrix.report.course import experiment_json, experiment_section

        if as_json:
            write_out(experiment_json(found))
            return
        from separatrix.report.wording import section_text

        write_out(section_text(experiment_section(found)))

    options = [_option(parameter) for parameter in kind.parameters]
    options += [
        click.Option(
            ["--seed"], type=int, default=0, show_default=True, metavar="S",
            help="The same seed gives the same figures.",
        ),
        click.Option(["--json", "as_json"], is_flag=True, help="The figures as JSON on stdout."),
    ]  # fmt: skip
    command = click.Command(
        kind.name, callback=run, params=list(options), help=kind.about, short_help=kind.about
    )
    drawn = "Draw the figures into F (.svg, .png or .pdf)."
    output_option("--picture", kind="a picture", help=drawn)(command)
    return quiet_option(command)


def _option(parameter: Parameter) -> click.Option:
    """Return an option, whose text the experiment reads."""
    several = isinstance(parameter.default, tuple)
    default = parameter.default if isinstance(parameter.default, tuple) else (parameter.default,)
    return click.Option(
        [f"--{parameter.name.replace('_', '-')}"], default=",".join(f"{v:g}" for v in default),
        show_default=True, metavar="A,B,.." if several else "K", help=parameter.about,
    )  # fmt: skip


@click.command(short_help="Grade what students hand in from the lab.")
@click.argument("folder", metavar="FOLDER")
@output_option("-o", "--output", kind="grades", stdout=True,
               help="Write the grades to F as CSV; none: CSV on stdout.")  # fmt: skip
@click.option("--tasks", metavar="PATH", help="A task file, or a folder of them. [default: the ten "
              "tasks that come with the lab]")  # fmt: skip
@quiet_option
def grade(folder: str, output: str | None, tasks: str | None, quiet: bool) -> None:
    """Run every file of FOLDER again, and say which are right, which are wrong, and why."""
    with progress(quiet) as tell:
        from separatrix.course.homework import built_in, grades_csv, grades_of, tasks_in

        refuse_outputs(*glob.glob(os.path.join(glob.escape(folder), "*")), tasks)
        known = built_in() if tasks is None else tasks_in(tasks)
        tell("grading")
        grades = grades_of(folder, known)
        if output not in (None, "-"):
            write_files({output: grades_csv(grades)})
    if output in (None, "-"):
        write_out(grades_csv(grades))
    if not quiet:
        say(f"{sum(g.right for g in grades)} of {len(grades)} files are right.")


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
        from separatrix.report.course import comparison, demo_verdict
        from separatrix.report.screen import NextSteps

        tell("compare with scikit-learn")
        verdict = demo_verdict(tell)
        beside = comparison(verdict)
    steps = [step.format(free_name("pla.gif")) for step in STEPS]
    after = NextSteps(None, tuple(zip(steps, steps, strict=True)), "separatrix demo", ())
    print_verdict(verdict, as_json=as_json, full=full, lang=lang, next_steps=after, first=[beside])
