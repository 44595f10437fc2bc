"""`separatrix learn`."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from typing import TYPE_CHECKING, cast

import click

from separatrix.cli.options import (
    Grouped,
    fewest_options,
    learner_options,
    multiclass_option,
    print_options,
    quiet_option,
    threshold_option,
)
from separatrix.cli.outputs import LEARNED, command_again, output_option, write_files
from separatrix.cli.proofs import files_of_proof, say_how_to_check, source_of_proof
from separatrix.cli.question import (
    Question,
    asks_of_table,
    infer_command,
    refuse_in_blocks,
    typed_for,
)
from separatrix.cli.showing import print_verdict, progress, say
from separatrix.said import Said

if TYPE_CHECKING:
    from separatrix.report.screen import NextSteps
    from separatrix.verdict import MulticlassVerdict, Verdict


@click.command(cls=Grouped, short_help="Learn from a table; say what is proven about it.")
@click.argument("table", metavar="TABLE")
@asks_of_table
@click.option("--group", metavar="COL", help="Rows that cross-validation must not split.")
@multiclass_option
@learner_options
@fewest_options
@output_option("--model", "model_path", kind="a model",
               help="Write the selected line to F, for `predict`.")  # fmt: skip
@threshold_option
@output_option("--report", "report_path", kind="a report", help="Write a report to F (HTML).")
@click.option("--line", type=click.Choice(["winner", "fewest"]), default="winner",
              show_default=True, help="Which line --model writes: the selected one, or the one "
              "with the fewest mistakes on these rows (it is not cross-validated).")  # fmt: skip
@output_option("--proof", "proof_path", kind=LEARNED,
               help="Write what is proven to F, for `verify`.")  # fmt: skip
@print_options
@quiet_option
def learn(  # noqa: PLR0912, PLR0915, PLR0917  # click passes by name
    question: Question, learner: str | None, learners: str | None,
    penalty: str | None, threshold: float | None, fewest_seconds: float | None,
    fewest_nodes: int | None, model_path: str | None, report_path: str | None, line: str,
    proof_path: str | None, full: bool, lang: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Learn from TABLE (CSV, Parquet or LIBSVM; - for stdin) and say what is proven about it."""
    table, in_blocks, multiclass = question.table, question.in_blocks, question.multiclass
    with progress(question.quiet) as tell, ExitStack() as opened:
        of_model = "--line fewest" if line == "fewest" else "--threshold"
        asked = line == "fewest" or threshold is not None
        if asked and (multiclass is not None or model_path is None):
            raise click.UsageError(
                f"{of_model} is what --model writes of one yes / no question: name a file, and "
                "leave --multiclass out."
            )
        if in_blocks and proof_path is not None:
            refuse_in_blocks("--proof", "leave it out; `separatrix prove` writes one")
        if in_blocks and (question.degree != 1 or multiclass is not None):
            refuse_in_blocks("--degree" if question.degree != 1 else "--multiclass")
        question.refuse_outputs()
        if learners is not None:
            from separatrix.verdict.selection import learner_named, taking_part

            taking_part(learners, learner_named(learner))
        source = None if proof_path is None else source_of_proof(table)
        data = opened.enter_context(question.opened(tell, source, in_blocks=in_blocks))
        from separatrix.verdict import judge

        verdict: Verdict | MulticlassVerdict = judge(
            data, degree=question.degree, fewest_seconds=fewest_seconds, fewest_nodes=fewest_nodes,
            multiclass=multiclass, learner=learner, learners=learners, penalty=penalty,
            progress=tell,
        )  # fmt: skip
        files: dict[str, str | bytes] = {}
        proof = None
        if source is not None and proof_path is not None:
            from separatrix.proving.asking import prove_verdict

            proof = prove_verdict(verdict, source.data, tell=tell)
            files |= files_of_proof(proof, proof_path, question.asked)
            of_proof = list(files)
        if report_path is not None:
            from separatrix.report.page import to_html
            from separatrix.report.words import language_of_locale

            tell("drawing")
            files[report_path] = to_html(
                verdict, command=command_again("--report"), lang=lang or language_of_locale()
            )
        if model_path is not None:
            from separatrix.model import text_of, with_threshold

            model = cast("Verdict", verdict).fewest_model if line == "fewest" else verdict.model
            model = model if threshold is None else with_threshold(model, threshold)
            files[model_path] = text_of(model)
        write_files(files)
    one = multiclass is None and not in_blocks
    infer = ""
    if one and verdict.first.separability.verdict in ("separable", "touching"):
        infer = infer_command(click.get_current_context(), table)
    new_rows = (_new_rows(table) if in_blocks else "NEW.csv") + " --missing blank" * bool(
        verdict.n_dropped
    )
    if in_blocks and data.source.about is None:  # an array, whose model knows no columns
        new_rows = ""
    answering = None if model_path is None or not new_rows else (model_path, new_rows)
    steps = _next_steps(verdict, list(files), answering, infer, threshold)
    print_verdict(verdict, as_json=as_json, full=full, lang=lang, next_steps=steps)
    if question.quiet:
        return
    for remedy in steps.remedies:
        say(Said("next: {command} {remedy}", command=steps.command, remedy=remedy))
    if proof is not None:
        say_how_to_check(proof, of_proof, [table])
    if infer:
        say(
            Said(
                "likelihood intervals of the coefficients (--firth: finite estimates): {command}",
                command=infer,
            )
        )
    if model_path is not None and verdict.n_dropped:
        say(
            Said(
                "rows with missing values were dropped, so the model has no value to fill in: "
                "`predict` refuses such rows or leaves them blank (--missing fill makes a model "
                "that answers them)."
            )
        )


def _next_steps(
    verdict: Verdict | MulticlassVerdict, written: list[str], answering: tuple[str, str] | None,
    infer: str, threshold: float | None,
) -> NextSteps:  # fmt: skip
    """Return what was written, and what to type next: a scorecard once there is a report, too."""
    from separatrix.files import free_name
    from separatrix.report.findings import remedies
    from separatrix.report.screen import NextSteps
    from separatrix.verdict import Verdict

    context = click.get_current_context()
    asked, model = context.params, f"--model {free_name('model.json')}"
    found: list[str] = []
    at, commands, card = None, [], False
    if isinstance(verdict, Verdict):
        found, card = remedies(verdict), not (verdict.in_blocks or verdict.winner.constant)
        at = None if verdict.rare is None or threshold is not None else verdict.rare.threshold
    if len(found) > 2:  # the first screen has no room for all; stderr has `infer`
        infer = ""
    if answering is not None:
        path, new_rows = answering
        if at is not None and verdict.winner.probabilities:
            new_rows, at = f"{new_rows} --threshold {at:g}", None
        names = (shlex.quote(path), "MODEL")
        whole, short = (f"separatrix predict {name} {new_rows}" for name in names)
        commands = [(whole, short)]
    if at is not None:
        learner = "" if verdict.winner.probabilities else " --learner logistic"
        found.insert(0, f"--threshold {at:g} {model}{learner}")  # a threshold is of a model
    commands += [(infer, "")] if infer else []
    more = [] if asked["report_path"] else [f"--report {free_name('report.html')}"]
    more += [] if asked["model_path"] else [model]
    options = [*([" ".join(more)] if more else []), "--full"]
    if not more and card:
        from separatrix.cli.export import export

        words = ["separatrix", "export", asked["model_path"], "--scorecard", asked["table"]]
        words += typed_for(context, export)
        commands.append((shlex.join(words), "separatrix export MODEL --scorecard TABLE"))
        options = []
    return NextSteps(written, commands, command_again(), options, found)


def _new_rows(table: str) -> str:
    """Return new rows like those of a table in blocks, and where their answers go."""
    from separatrix.files import free_name

    kind = "parquet" if table.endswith(".parquet") else "csv"
    return f"NEW.{kind} -o {free_name(f'answers.{kind}')}"
