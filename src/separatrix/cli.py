"""The command line: parse, read, learn, write, exit code. No mathematics.

Exit codes: 0 done, 1 and 3 as `verify` says, 2 usage or bad input, 130 interrupted. Results go to
stdout, everything else to stderr. Nothing heavy is imported before a command needs it, so that
``--help`` answers at once.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, NoReturn, cast

import click

from separatrix._version import __version__

if TYPE_CHECKING:
    from rich.console import Console

    from separatrix.proving import Proof
    from separatrix.verdict import MulticlassVerdict, Verdict

BAD_INPUT = 2
INTERRUPTED = 130
OUR_FAULT = 70  # EX_SOFTWARE

Command = Callable[..., None]


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="separatrix")
def commands() -> None:
    """Learn a yes / no line from a table, and prove it."""


def _together(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return several options as one decorator."""

    def decorate(command: Any) -> Any:  # noqa: ANN401  # click's decorators are untyped
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


# How a table is read: the same for every command that reads one.
dialect_options = _together(
    click.option("--delimiter", metavar="CHAR",
                 help="Between fields: a character, tab or whitespace."),
    click.option("--encoding", metavar="NAME",
                 help="Of the text, such as latin-1. [default: UTF-8]"),
    click.option("--no-header", "header", flag_value=False, default=None, type=bool,
                 help="The first line is data; the columns are then 'column 1', 'column 2', ..."),
    click.option("--header", "header", flag_value=True, type=bool,
                 help="The first line is names, though it looks like data."),
    click.option("--quote", metavar="CHAR", default='"', show_default=True, help="Around fields."),
    click.option("--decimal", type=click.Choice([".", ","]), default=".", show_default=True,
                 help="The decimal mark."),
    click.option("--format", "file_format", type=click.Choice(["csv", "parquet", "svmlight"]),
                 help="Of the file. [default: found out]"),
)  # fmt: skip

# What a table to learn from is: which column answers, which rows and columns take part.
table_options = _together(
    click.option(
        "--label", metavar="COL", help="The column to be answered; needed but for LIBSVM files."
    ),
    click.option(
        "--yes", metavar="V", help="The label that means yes. [default: the second, sorted]"
    ),
    click.option("--drop", metavar="COL", multiple=True, help="Leave COL out. Repeatable."),
    click.option(
        "--weight",
        metavar="COL",
        help="Row weights: k stands for k copies of the row. PLA takes none (k copies would be k "
        "visits); its mistakes are still weighed.",
    ),
    click.option(
        "--missing",
        type=click.Choice(["drop", "fill"]),
        default="drop",
        show_default=True,
        help="Drop rows with missing values, or fill in medians and commonest levels.",
    ),
    click.option(
        "--unlabelled",
        type=click.Choice(["refuse", "drop"]),
        default="refuse",
        show_default=True,
        help="What to do with rows without a label.",
    ),
    click.option(
        "--fold-labels", is_flag=True, help="Labels that differ in case or blanks are the same."
    ),
    click.option(
        "--text",
        metavar="COL",
        multiple=True,
        help="Read COL as categories though it looks like numbers. Repeatable.",
    ),
    click.option(
        "--degree",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        metavar="K",
        help="Lines in all products of up to K columns (a, b, a^2, a b, b^2): curves in the table.",
    ),
)

quiet_option = click.option("-q", "--quiet", is_flag=True, help="No notes or progress on stderr.")


@commands.command()
@quiet_option
@click.option("--json", "as_json", is_flag=True, help="The verdict as JSON on stdout.")
def demo(quiet: bool, as_json: bool) -> None:  # click passes flags so
    """Judge the breast-cancer table that everybody teaches with: is it linearly separable."""
    with _progress(quiet) as tell:
        from separatrix.report.demo import comparison, demo_verdict

        tell("compare with scikit-learn")
        verdict = demo_verdict(tell)
        beside = comparison(verdict)
    _print_verdict(verdict, as_json=as_json, more=[beside])


@commands.command()
@click.argument("table", metavar="TABLE")
@table_options
@click.option("--group", metavar="COL", help="Rows that cross-validation must not split.")
@click.option(
    "--multiclass",
    type=click.Choice(["ova", "ovo"]),
    help="For three labels or more: each against the rest, or each against each.",
)
@dialect_options
@click.option("--model", "model_path", metavar="F", help="Write the winner to F, for `predict`.")
@click.option("--proof", "proof_path", metavar="F", help="Write what is proven to F, for `verify`.")
@click.option("--json", "as_json", is_flag=True, help="The verdict as JSON on stdout.")
@quiet_option
def learn(  # noqa: PLR0917  # click passes by name
    table: str,
    drop: tuple[str, ...],
    text: tuple[str, ...],
    file_format: str | None,
    degree: int,
    multiclass: str | None,
    model_path: str | None,
    proof_path: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,  # noqa: ANN401  # those of read_table, by its own names
) -> None:
    """Learn from TABLE (CSV, Parquet or LIBSVM; - for stdin) and say what is proven about it."""
    with _progress(quiet) as tell:
        from separatrix.files import refuse_unwritable
        from separatrix.tables import read_classes, read_table

        if multiclass is not None and options.pop("yes") is not None:
            raise click.UsageError(
                "--yes makes one yes / no question of the labels, --multiclass asks about each of "
                "them: give one of the two."
            )
        if proof_path is not None and proof_path == model_path:
            raise click.UsageError("--model and --proof name the same file.")
        if proof_path is not None and multiclass is not None:
            raise click.UsageError(
                "--proof is about one yes / no question: ask it with --yes instead of --multiclass."
            )
        if model_path is not None:
            refuse_unwritable(model_path, [table])
        source = None if proof_path is None else _source_of_proof(proof_path, table)
        tell("reading")
        read = read_table if multiclass is None else read_classes
        data = read(table, drop=drop, text=text, format=file_format, **options)
        from separatrix.verdict import judge

        verdict = judge(data, degree=degree, multiclass=multiclass, progress=tell)
        if source is not None:
            from separatrix.proving import prove_verdict

            tell("proving")
            proof = prove_verdict(cast("Verdict", verdict), source)  # of one question: see above
    _print_verdict(verdict, as_json=as_json, more=[])
    if proof_path is not None:
        _write_proof(proof, proof_path, table, quiet=quiet)
    if model_path is not None:  # last: an interrupted or failed command has written nothing
        _save_model(verdict, model_path, quiet=quiet)


def _save_model(verdict: Verdict | MulticlassVerdict, path: str, *, quiet: bool) -> None:
    from separatrix.model import save

    save(verdict.model, path)
    if verdict.n_dropped and not quiet:
        click.echo(
            "separatrix: rows with missing values were dropped, so the model has no value to fill "
            "in: `predict` refuses such rows or leaves them blank (--missing fill makes a model "
            "that answers them).",
            err=True,
        )


@commands.command()
@click.argument("table", metavar="TABLE")
@table_options
@dialect_options
@click.option("-o", "--output", metavar="F", required=True, help="Write the proof to F.")
@quiet_option
def prove(  # noqa: PLR0917  # click passes by name
    table: str,
    drop: tuple[str, ...],
    text: tuple[str, ...],
    file_format: str | None,
    degree: int,
    output: str,
    quiet: bool,
    **options: Any,  # noqa: ANN401  # those of read_table, by its own names
) -> None:
    """Decide whether a line separates TABLE, and write a proof that `verify` checks alone."""
    with _progress(quiet) as tell:
        source = _source_of_proof(output, table)
        from separatrix.proving import prove_separability
        from separatrix.tables import read_table

        tell("reading")
        read = read_table(table, drop=drop, text=text, format=file_format, **options)
        tell("proving")
        proof = prove_separability(read, source, degree)
    _write_out("".join(f"{statement}\n" for statement in proof.statements))
    _write_proof(proof, output, table, quiet=quiet)


def _source_of_proof(path: str, table: str) -> bytes:
    """Return the bytes of the table; refuse at once what could not be written or checked again."""
    from separatrix.data import InputError
    from separatrix.proving import refuse_unwritable_proof
    from separatrix.tables.source import read_source

    if table == "-":
        raise InputError("a proof is about a file that others have too: give its name, not stdin.")
    if path == "-":
        raise InputError("name a file for the proof: its table may have to be written beside it.")
    refuse_unwritable_proof(path, [table])
    return read_source(table).data


def _write_proof(proof: Proof, path: str, table: str, *, quiet: bool) -> None:
    from separatrix.proving import write

    *beside, written = write(proof, path)
    against = beside[0] if beside else table
    if not quiet:
        click.echo(
            f"separatrix: anybody can check {written} with: separatrix verify {written} {against}",
            err=True,
        )


@commands.command()
@click.argument("proof", metavar="PROOF")
@click.argument("table", metavar="TABLE")
@click.option("--time-limit", type=click.FloatRange(min=0), metavar="S", help="Give up after S s.")
def verify(proof: str, table: str, time_limit: float | None) -> None:
    """Check PROOF against TABLE from scratch; no other part of separatrix takes part.

    Prints VERIFIED and what was checked (exit code 0), REFUTED (1) or CANNOT CHECK (3) and why.
    """
    from separatrix import verify as alone

    code, answer = alone.check_files(proof, table, time_limit)
    _write_out(f"{answer}\n")
    raise click.exceptions.Exit(code)


@commands.command()
@click.argument("model", metavar="MODEL")
@click.argument("table", metavar="TABLE")
@click.option("-o", "--output", metavar="F", help="Write the answers to F instead of stdout.")
@click.option(
    "--match-names",
    is_flag=True,
    help="Match columns by name; ignore their order and those that the model does not know.",
)
@click.option(
    "--missing",
    type=click.Choice(["refuse", "blank"]),
    default="refuse",
    show_default=True,
    help="Refuse rows that lack a value the model cannot fill, or leave their answers empty.",
)
@dialect_options
@quiet_option
def predict(  # noqa: PLR0917  # click passes by name
    model: str,
    table: str,
    output: str | None,
    match_names: bool,
    file_format: str | None,
    quiet: bool,
    **options: Any,  # noqa: ANN401  # those of read_rows, by its own names
) -> None:
    """Answer every row of TABLE with MODEL: a CSV of line, answer, score (and probability)."""
    with _progress(quiet) as tell:
        from separatrix.files import refuse_unwritable, write_whole
        from separatrix.predicting import answers_csv

        if output == "-":
            output = None
        if output is not None:
            refuse_unwritable(output, [model, table])
        tell("predicting")
        answers = answers_csv(model, table, match_names=match_names, format=file_format, **options)
        if output is not None:
            write_whole(output, answers)
    if output is None:
        _write_out(answers)


@commands.command()
@click.argument(
    "name", metavar="NAME", type=click.Choice(["separable", "noisy", "credit", "graduation"])
)
@click.option(
    "-o",
    "--output",
    metavar="F",
    help="Write the table to F (Parquet if it ends in .parquet, else CSV); - or none: "
    "CSV on stdout.",
)
@click.option("--rows", type=int, metavar="N", help="How many rows.")
@click.option(
    "--columns", type=int, metavar="D", help="How many numbers in a row (separable, noisy)."
)
@click.option(
    "--margin",
    type=float,
    metavar="M",
    help="At least this far from the target, exactly, in the space of (1, x) (separable, noisy).",
)
@click.option(
    "--flip",
    type=float,
    metavar="P",
    help="Probability that a label is turned round (all but separable).",
)
@click.option(
    "--missing", type=float, metavar="P", help="Share of cells left empty (credit, graduation)."
)
@click.option(
    "--seed",
    type=int,
    metavar="S",
    default=0,
    show_default=True,
    help="The same seed makes the same bytes.",
)
@quiet_option
def make(name: str, output: str | None, quiet: bool, **asked: Any) -> None:  # noqa: ANN401
    """Make a table with a known target, which is told on stderr.

    NAME is separable or noisy (numbers), credit (who gets a credit card) or graduation (who
    graduates).
    """
    with _progress(quiet) as tell:
        from separatrix.files import refuse_unwritable, write_whole
        from separatrix.making import made_by_name

        if output not in (None, "-"):
            refuse_unwritable(output)
        tell("making")
        table = made_by_name(name, {key: v for key, v in asked.items() if v is not None})
        if output in (None, "-"):
            _write_out(table.to_csv())
        else:
            as_parquet = output.lower().endswith(".parquet")
            write_whole(output, table.to_parquet() if as_parquet else table.to_csv())
    if not quiet:
        click.echo(f"separatrix: {table.about}", err=True)


# ---------------------------------------------------------------------- showing


def _print_verdict(verdict: Verdict | MulticlassVerdict, *, as_json: bool, more: list[Any]) -> None:
    if as_json:
        from separatrix.report import to_json

        _write_out(to_json(verdict))
        return
    from separatrix.report.text import parts_of, section_text

    parts = [*more, *parts_of(verdict)]
    if sys.stdout.isatty():
        from separatrix.report.terminal import show

        show(parts, _console(sys.stdout))
    else:
        _write_out("\n".join(section_text(part) for part in parts))


def _write_out(text: str) -> None:
    """Write to stdout as UTF-8 whatever the locale; names may hold any character."""
    stream = sys.stdout
    if hasattr(stream, "buffer"):
        stream.buffer.write(text.encode("utf-8", "backslashreplace"))
        stream.buffer.flush()
    else:
        stream.write(text)


def _console(stream: IO[str]) -> Console:
    from rich.console import Console

    return Console(file=stream, highlight=False, soft_wrap=False)  # rich reads NO_COLOR itself


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Yield a function that says what is being done: a spinner, on a terminal only.

    Warnings become notes on stderr, and so does the one-time compilation of kernels.
    """
    from separatrix.announcing import announce_compilation

    spinner = None if quiet or not sys.stderr.isatty() else _console(sys.stderr).status("starting")

    def note(sentence: str) -> None:
        if spinner is not None:
            spinner.console.print(f"separatrix: {sentence}", markup=False)
        elif not quiet:
            click.echo(f"separatrix: {sentence}", err=True)

    def show_warning(message: Warning | str, category: type, *_: Any, **__: Any) -> None:  # noqa: ANN401
        if category.__module__.startswith("separatrix"):  # other libraries' are not for users
            note(str(message))

    with warnings.catch_warnings():
        warnings.showwarning = show_warning
        with announce_compilation(note):
            if spinner is None:
                yield lambda _: None
                return
            with spinner:
                yield spinner.update


# ---------------------------------------------------------------------- ends


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit; never with a traceback."""
    _prepare_streams()
    for name in ("SIGTERM", "SIGHUP"):  # leave by the doors that clean up
        if hasattr(signal, name):
            number = getattr(signal, name)
            signal.signal(number, lambda n, _: sys.exit(128 + n))
    code = _run(arguments)
    try:
        sys.stdout.flush()
    except OSError as error:
        code = code or _told(f"error: cannot write the output: {error.strerror}.", BAD_INPUT)
        _discard_output()
    sys.exit(code)


def _run(arguments: list[str] | None) -> int:  # noqa: PLR0911  # one for each way to end
    """Return the exit code of a command; what it raises becomes one line on stderr."""
    try:
        code = commands.main(arguments, prog_name="separatrix", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return BAD_INPUT
    except (KeyboardInterrupt, click.Abort):
        return _told("interrupted; nothing was written.", INTERRUPTED)
    except SystemExit as leave:
        if leave.code == 1:  # click's way to say that nobody reads the pipe any more
            _discard_output()
            return 0
        return leave.code if isinstance(leave.code, int) else 0
    except BrokenPipeError:
        _discard_output()
        return 0
    except MemoryError:
        return _told("error: the machine ran out of memory. Use fewer rows or columns.", BAD_INPUT)
    except Exception as error:  # the last door: told, never shown as a traceback
        return _explained(error)
    return code if isinstance(code, int) else 0  # what click makes of an Exit


def _explained(error: Exception) -> int:
    from separatrix.data import InputError

    if isinstance(error, InputError):
        return _told(f"error: {error}", BAD_INPUT)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EIO, errno.EBADF):
        _discard_output()
        return _told(f"error: cannot write the output: {error.strerror}.", BAD_INPUT)
    if os.environ.get("SEPARATRIX_TRACEBACK"):
        traceback.print_exc()
    return _told(
        f"this is our mistake, not yours: {type(error).__name__}: {error}. Please report it; "
        "SEPARATRIX_TRACEBACK=1 shows where.",
        OUR_FAULT,
    )


def _told(sentence: str, code: int) -> int:
    click.echo(f"separatrix: {sentence}", err=True)
    return code


def _prepare_streams() -> None:
    """Give closed streams a place to go: a program may be started without any of them."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  # for the whole process
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def _discard_output() -> None:
    """Send what is still in stdout's buffer nowhere, so that leaving does not fail on it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
