"""`separatrix experiment NAME`: a command for each experiment, made from its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from separatrix._types import Untyped
from separatrix.cli.options import quiet_option
from separatrix.cli.outputs import output_option, refuse_outputs, write_files
from separatrix.cli.showing import progress, write_out

if TYPE_CHECKING:
    from separatrix.course.experiments import Kind, Parameter


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
                from separatrix.report.displays.experiment import refuse_no_picture

                refuse_no_picture(picture)
                refuse_outputs()

            def advance(done: int, of: int) -> None:
                tell(f"{kind.name}: {done} of {of} runs")

            found = run_experiment(kind.name, seed=seed, progress=advance, **asked)
            if picture is not None:
                from separatrix.report.displays.experiment import ExperimentDisplay, picture_bytes
                from separatrix.report.drawing.style import SIZE

                write_files({picture: picture_bytes(ExperimentDisplay(found).plot, SIZE, picture)})
        from separatrix.report.experiments import experiment_json, experiment_section

        if as_json:
            write_out(experiment_json(found))
            return
        from separatrix.report.text import section_text

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
