"""`separatrix infer`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from separatrix._loading import load
from separatrix._types import Untyped
from separatrix.cli.options import Grouped, Language, quiet_option
from separatrix.cli.outputs import (
    INTERVALS,
    command_again,
    output_option,
    write_files,
)
from separatrix.cli.proofs import files_of_proof, say_how_to_check, source_of_proof
from separatrix.cli.question import Question, asks_of_table, refuse_in_blocks
from separatrix.cli.showing import progress, write_out

if TYPE_CHECKING:
    from separatrix.inference.table import CoefficientTable
    from separatrix.proving.files import Proof
    from separatrix.scale import Rows
    from separatrix.tables import Table

MOST_CHECKED = 2e6  # rows x (intervals)^2: two seconds of exact arithmetic


@click.command(cls=Grouped, short_help="Coefficients with intervals, odds ratios and tests, also "
               "infinite ones.")  # fmt: skip
@click.argument("table", metavar="TABLE")
@asks_of_table
@click.option("--group", metavar="COL", help="Rows with the same value depend on one another: "
              "clustered errors.")  # fmt: skip
@click.option("--level", type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
              default=0.95, show_default=True, metavar="P", help="Of the intervals.")  # fmt: skip
@click.option("--reference", metavar="COL=LEVEL", multiple=True, help="Compare the levels of a "
              "category with this one, not with the commonest. Repeatable.")  # fmt: skip
@click.option("--firth", is_flag=True, help="Penalise by Jeffreys' prior: finite estimates.")
@click.option("--wald", is_flag=True, help="Wald's intervals and tests, as other programs print.")
@click.option("--exact", is_flag=True, help="Exact conditional tests and intervals (few rows, few "
              "values) of the columns of --test.")  # fmt: skip
@click.option("--test", metavar="COL[,COL]...", multiple=True, help="Test columns together, a "
              "category with all its levels. Repeatable.")  # fmt: skip
@click.option("--robust", type=click.Choice(["HC0", "HC1", "HC2", "HC3"]),
              help="Standard errors that do not rely on the model's variance.")  # fmt: skip
@click.option("--per", metavar="[COL=]sd|K", multiple=True, help="Coefficients and odds ratios per "
              "standard deviation, or per K units, of every column of numbers, or of COL. With "
              "COL= repeatable.")  # fmt: skip
@click.option("--penalty", type=click.Choice(["log-f"]),
              help="A weak prior as extra rows: log-F(1, 1).")  # fmt: skip
@output_option("--proof", "proof_path", kind=INTERVALS,
               help="Write what is proven to F, for `verify`.")  # fmt: skip
@output_option("--csv", "csv_path", kind="coefficients as CSV",
               help="Write the coefficients to F (CSV).")  # fmt: skip
@output_option("--latex", "latex_path", kind="coefficients in LaTeX",
               help="Write them to F (LaTeX).")  # fmt: skip
@click.option("--caption", metavar="TEXT", help="Of the LaTeX table. [default: what it is]")
@output_option("--report", "report_path", kind="a report of coefficients",
               help="Write them and a forest plot to F (HTML).")  # fmt: skip
@output_option("--plot", "plot_path", kind="a picture",
               help="Draw a forest plot into F (.png, .svg, .pdf).")  # fmt: skip
@click.option("--lang", type=Language(["en", "zh-Hant"]),
              help="Of headings. [default: of the locale, or en]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON on stdout.")
@quiet_option  # fmt: skip
def infer(  # noqa: PLR0917  # click passes by name
    question: Question, level: float, firth: bool, wald: bool, exact: bool,
    reference: tuple[str, ...], penalty: str | None, proof_path: str | None, test: tuple[str, ...],
    robust: str | None, csv_path: str | None, latex_path: str | None, caption: str | None,
    report_path: str | None, plot_path: str | None, per: tuple[str, ...], lang: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Print every coefficient of a logistic regression on TABLE, with an interval and a test."""
    method = _method({"firth": firth, "wald": wald, "exact": exact}, penalty)
    reading, degree, quiet = question.reading, question.degree, question.quiet
    in_blocks = _in_blocks(question, {
        "--firth": firth, "--exact": exact, "--penalty": penalty, "--degree": degree != 1,
        "--robust": robust, "--reference": reference, "--group": reading["group"],
        "--proof": proof_path,
    })  # fmt: skip
    if proof_path is not None and (method != "likelihood" or degree != 1 or reference or per):
        raise click.UsageError(
            "--proof is of likelihood intervals, of degree 1, against the commonest levels and per "
            "1 unit: leave out --reference and --per, too."
        )
    levels = _levels(reference)
    question.refuse_outputs()
    outputs = {
        "--csv": csv_path, "--latex": latex_path, "--report": report_path, "--plot": plot_path,
    }  # fmt: skip
    if caption is not None and latex_path is None:
        raise click.UsageError("--caption is that of --latex F.")
    if plot_path is not None:
        load("separatrix.report.drawing.style").refuse_no_picture(plot_path)
    with progress(quiet) as tell, ExitStack() as opened:
        from separatrix.inference.coefficient_table import coefficient_table
        from separatrix.report.words import again, language_of_locale, speaking, words_of

        source = None if proof_path is None else source_of_proof(question.table)
        opening = question.opened(tell, source, one_question=True, in_blocks=in_blocks)
        data = opened.enter_context(opening)
        tell("finding intervals")
        found = coefficient_table(
            data, level=level, method=method, degree=degree, reference=levels or None,
            test=[_columns(names, _known(data)) for names in test], robust=robust,
            groups=None if in_blocks else data.group, per=_units(per),
        )  # fmt: skip
        files: dict[str, str | bytes] = {}
        proof = None
        if source is not None and proof_path is not None:
            from separatrix.proving.asking import prove_likelihood_intervals

            proof = prove_likelihood_intervals(data, source.data, level=level, tell=tell)
            files |= files_of_proof(proof, proof_path, question.asked)
            of_proof = list(files)
        proven = cache(lambda: _are_proven(found, data, degree, levels, proof))
        digest, lang = getattr(data, "sha256", ""), lang or language_of_locale()
        files |= _files(found, outputs, caption, digest, lang, proven)
        write_files(files)
    if proof is not None and not quiet:
        say_how_to_check(proof, of_proof, [question.table])
    if as_json:
        write_out(found.to_json())
        return
    with speaking(words := words_of(lang)):
        write_out(found.to_text(words.heading, again))


def _units(per: tuple[str, ...]) -> str | dict[str, str] | None:
    """Return what --per asks for: sd, a number, or either by column."""
    units = {name: size for name, _, size in (text.rpartition("=") for text in per)}
    if "" in units and len(per) > 1:
        raise click.UsageError("give --per once for all columns, or each time with COL=.")
    return units.get("", units or None)


def _are_proven(
    found: CoefficientTable, data: Table | Rows, degree: int, levels: dict[str, str],
    proof: Proof | None,
) -> bool:  # fmt: skip
    """Return whether the brackets of finite ends are proven: by --proof, or here, if soon done."""
    from separatrix.inference.inputs import read_question
    from separatrix.tables import Table

    if proof is not None:
        return not proof.left_out
    if not isinstance(data, Table) or found.n * len(found.brackets) ** 2 > MOST_CHECKED:
        return False
    sample = read_question(data, None, None, None, None, degree, levels)[1]
    return found.verify(sample.X, sample.classes[(sample.y > 0.0).astype(int)])


def _files(  # noqa: PLR0917  # one caller
    found: CoefficientTable, outputs: Mapping[str, str | None], caption: str | None, digest: str,
    lang: str, proven: Callable[[], bool],
) -> dict[str, str | bytes]:  # fmt: skip
    """Return what is to be written into the files {option: path}."""

    def page(_: str) -> str:
        made = load("separatrix.report.page.page").coefficients_page
        return str(made(found, command_again("--report"), digest, lang, proven=proven()))

    def plot(path: str) -> bytes:
        made = load("separatrix.report.displays.forest").forest_bytes
        return bytes(made(found, path, proven=proven()))

    def latex(path: str) -> str:
        name = re.sub(r"[^\w-]+", "-", Path(path).stem)
        return found.to_latex(caption or f"{found.title}.", f"tab:{name}")

    ways: dict[str, Callable[[str], str | bytes]] = {
        "--csv": lambda _: found.to_csv(), "--latex": latex, "--report": page, "--plot": plot,
    }  # fmt: skip
    return {path: ways[option](path) for option, path in outputs.items() if path is not None}


def _in_blocks(question: Question, in_memory: dict[str, Untyped]) -> bool:
    """Return whether a table is read in blocks: not for options that are of tables in memory."""
    given = [name for name, asked in in_memory.items() if asked]
    if given and question.asks_for_blocks:
        refuse_in_blocks(given[0])
    return not given and question.in_blocks


def _method(flags: dict[str, bool], penalty: str | None) -> str:
    chosen = [name for name, asked in flags.items() if asked]
    said = [f"--{name}" for name in chosen] + ([f"--penalty {penalty}"] if penalty else [])
    if len(said) > 1:
        raise click.UsageError(f"give one of {', '.join(said)}.")
    return penalty or (chosen[0] if chosen else "likelihood")


def _levels(reference: tuple[str, ...]) -> dict[str, str]:
    pairs = [text.partition("=") for text in reference]
    if wrong := [text for text, pair in zip(reference, pairs, strict=True) if not pair[1]]:
        raise click.UsageError(f"--reference {wrong[0]} must be COL=LEVEL, such as sex=M.")
    return {name.strip(): level.strip() for name, _, level in pairs}


def _columns(names: str, known: set[str]) -> str | list[str]:
    if "," not in names or names in known:
        return names
    return [name.strip() for name in names.split(",") if name.strip()]


def _known(data: Table | Rows) -> set[str]:
    from separatrix.tables import Table

    if isinstance(data, Table):
        return {column.name for column in data.columns}
    about = data.source.about
    names = data.names if about is None else [how.name for how in about.encoding.columns]
    return set(names)
