"""`separatrix screen`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from separatrix._types import Untyped
from separatrix.cli.label import refuse_missing_label
from separatrix.cli.options import dialect_options, quiet_option, table_options
from separatrix.cli.outputs import output_option, refuse_outputs, write_files
from separatrix.cli.showing import progress, write_out

if TYPE_CHECKING:
    from separatrix.inference.screening import Screening
    from separatrix.tables import Table


@click.command(short_help="Test every column of a table by itself, beside chosen covariates.")
@click.argument("table", metavar="TABLE")
@click.option(
    "--covariate", metavar="COL", multiple=True, help="Fit COL beside every column. Repeatable."
)
@click.option("--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95,
              show_default=True, help="Of the intervals of columns that separate.")  # fmt: skip
@click.option("--top", type=click.IntRange(min=1), default=20, show_default=True, metavar="N",
              help="How many columns to print, the least p first.")  # fmt: skip
@output_option("--csv", "csv_path", kind="a screening", help="Write the figures of all columns.")
@table_options
@dialect_options
@quiet_option
def screen(  # noqa: PLR0917  # click passes by name
    table: str,
    covariate: tuple[str, ...],
    level: float,
    top: int,
    csv_path: str | None,
    file_format: str | None,
    drop: tuple[str, ...],
    text: tuple[str, ...],
    degree: int,
    quiet: bool,
    **options: Untyped,
) -> None:
    """Test every column of TABLE by itself: likelihood-ratio chi2 and p, adjusted for all of them.

    A logistic regression of the label has the covariates, a constant and one column at a time; each
    level of a category is a column.
    """
    refuse_outputs(table)
    refuse_missing_label(table, file_format, options)
    with progress(quiet) as tell:
        from separatrix.tables import read_table

        tell("reading")
        data = read_table(table, drop=drop, text=text, format=file_format, **options)

        def count(done: int, total: int) -> None:
            tell(f"screening: {done:,} of {total:,} columns")

        found = _screened(data, covariate, degree, level, count)
        if csv_path is not None:
            write_files({csv_path: found.to_csv()})
    write_out(found.to_text(top))


def _screened(
    data: Table, covariate: tuple[str, ...], degree: int, level: float, count: Untyped
) -> Screening:
    """Return the screening of the columns of a table that are no covariates."""
    import scipy.sparse as sp

    from separatrix.data import InputError
    from separatrix.inference.screening import screen as screening
    from separatrix.tables import fit_encoding

    names = [column.name for column in data.columns]
    for name in covariate:
        if name not in names:
            raise InputError(f"{data.name} has no column {name!r} (--covariate).")
    beside = [column for column in data.columns if column.name in covariate]
    others = [column for column in data.columns if column.name not in covariate]
    if not others:
        raise InputError("every column is a covariate: none is left to screen.")
    place = data.lines, data.line_word
    encoding = fit_encoding(others, data.missing)
    C: Untyped = None
    if beside:
        C = fit_encoding(beside, data.missing, degree).encode(beside, *place)
    return screening(
        encoding.encode(others, *place),
        data.y,
        C.toarray() if sp.issparse(C) else C,
        names=encoding.plain_names,
        sample_weight=data.weight,
        level=level,
        progress=count,
    )
