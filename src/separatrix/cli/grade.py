"""`separatrix grade`."""

from __future__ import annotations

import glob
import os

import click

from separatrix.cli.options import quiet_option
from separatrix.cli.outputs import output_option, refuse_outputs, write_files
from separatrix.cli.showing import progress, say, write_out


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
        from separatrix.course.homework import built_in, grades_csv, grades_of
        from separatrix.course.homework.grading import tasks_in

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
