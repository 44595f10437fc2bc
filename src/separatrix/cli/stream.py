"""`separatrix learn - --stream`: rows that come once, and a running verdict."""

from __future__ import annotations

import logging
import os
import shlex
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from separatrix._types import Untyped
from separatrix.cli.outputs import refuse_outputs, write_files
from separatrix.cli.showing import command_line, progress, write_out

if TYPE_CHECKING:
    from separatrix.report.stream import StreamReport
    from separatrix.streaming import Stream, StreamVerdict
    from separatrix.tables.incremental import IncrementalCsv

INTERRUPTED = 130
LEAST_PART = 1000  # rows of a batch after which it is said again what is known
LEARNERS = {
    "pla": "Perceptron",
    "averaged": "AveragedPerceptron",
    "margin": "MarginPerceptron",
    "pa": "PassiveAggressive",
}
# options that mean the same for a stream as for a table
SHARED = {
    "table", "label", "yes", "drop", "missing", "unlabelled", "delimiter", "encoding", "header",
    "quote", "decimal", "file_format", "learner", "model_path", "as_json", "lang", "quiet",
}  # fmt: skip
OWN = {"stream", "no", "every", "delta"}


def stream_options(command: Untyped) -> Untyped:
    """Add the options of a stream."""
    for option in (
        click.option(
            "--delta", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05,
            show_default=True, help="Of the risk bound of a stream.",
        ),
        click.option(
            "--every", type=click.IntRange(min=1), metavar="N",
            help="Say what is known of a stream every N rows.",
        ),
        click.option("--no", metavar="V", help="The label of a stream that means no."),
        click.option(
            "--stream", is_flag=True,
            help="Read every row once and keep few: CSV of numbers, in memory that does not grow. "
            "Says with which row the rows ceased to be separable.",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


def refuse_mixed(context: click.Context) -> None:
    """Raise a usage error for options of a stream without --stream, and for the others with it."""
    stream = context.params["stream"]
    for option in context.command.params:
        name = option.name or ""
        source = context.get_parameter_source(name)
        if source is not click.core.ParameterSource.COMMANDLINE:
            continue
        if stream and name not in SHARED | OWN:
            raise click.UsageError(
                f"{option.opts[0]} does not go with --stream, which reads every row once: leave it "
                "out, or give a file without --stream."
            )
        if not stream and name in OWN:
            raise click.UsageError(f"{option.opts[0]} is an option of --stream.")
    learner = context.params["learner"]
    if stream and learner not in (None, *LEARNERS):
        raise click.UsageError(
            f"--learner {learner} reads its rows more than once; of a stream learn "
            f"{', '.join(LEARNERS)}."
        )
    if not stream and learner in LEARNERS and learner != "pla":
        raise click.UsageError(f"--learner {learner} is for --stream.")
    if stream and context.params["missing"] != "drop":
        raise click.UsageError(
            "--stream drops rows with missing values: what to fill in takes all rows to know."
        )
    if stream and context.params["file_format"] not in (None, "csv"):
        raise click.UsageError("--stream reads CSV.")


def learn_from_stream(context: click.Context) -> None:
    """Learn from CSV rows that come once; print what is known, and write the model."""
    asked = context.params
    table, model_path = asked["table"], asked["model_path"]
    with progress(asked["quiet"]) as tell, _opened(table) as (file, name):
        refuse_outputs(table)
        import separatrix
        from separatrix.streaming import Stream
        from separatrix.tables.incremental import IncrementalCsv
        from separatrix.tables.reading import Reading

        names = ("drop", "unlabelled", "delimiter", "encoding", "header", "quote", "decimal")
        options = Reading(**{option: asked[option] for option in names})
        rows = IncrementalCsv(file, name, asked["label"], asked["yes"], asked["no"], options)
        learner = getattr(separatrix, LEARNERS[asked["learner"] or "pla"])()
        stream = Stream(learner, classes=[-1, 1], delta=asked["delta"])
        tell("reading")
        report = _read(rows, stream, tell, asked["every"])
        if not report.interrupted and report.is_open and os.path.isfile(table):
            tell("reading again, to find out with which row the rows cease to be separable")
            report = replace(report, verdict=_settled(rows, stream, table))
        written = {} if model_path is None else {model_path: _model_text(report)}
        write_files(written)
    _print(report, list(written), asked)
    if report.interrupted:
        context.exit(INTERRUPTED)


@contextmanager
def _opened(table: str) -> Iterator[tuple[BinaryIO, str]]:
    """Yield the bytes of stdin or of a file, and what they are called."""
    if table == "-":
        yield sys.stdin.buffer, "stdin"
        return
    from separatrix.data import InputError
    from separatrix.tables.wording import shown

    try:
        file = open(table, "rb")  # noqa: SIM115  # closed below
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{shown(os.path.basename(table))} cannot be read: {reason}.") from None
    with file:
        yield file, os.path.basename(table)


class _Interrupts:
    """Ctrl-C ends the reading of rows: a wait at once, work on rows when it is done."""

    def __init__(self, rows: IncrementalCsv) -> None:
        self.rows = rows

    def __call__(self, *_: Untyped) -> None:
        """Take the signal."""
        first, self.rows.stopped = not self.rows.stopped, True
        if first and self.rows.waits:
            raise KeyboardInterrupt

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Take SIGINT, where it is not ignored, until the end of the block."""
        before = signal.getsignal(signal.SIGINT)
        if before is signal.SIG_IGN:
            yield
            return
        signal.signal(signal.SIGINT, self)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _read(rows: IncrementalCsv, stream: Stream, tell: Untyped, every: int | None) -> StreamReport:
    """Return what all rows have shown, or those until an interrupt."""
    from separatrix.report.stream import StreamReport, noted, running

    interrupts, log = _Interrupts(rows), logging.getLogger("separatrix")
    n = n_yes = last = said = 0
    ceased = False

    def note(found: StreamVerdict) -> None:
        """Say on stderr that the rows have ceased to be separable, and what is asked for."""
        nonlocal ceased, said
        tell(running(found))
        if found.separable is False and not ceased:
            log.info("%s: %s", time.strftime("%H:%M:%S"), noted(found))
            ceased, said = True, found.n
        elif every and found.n // every > said // every:
            log.info(noted(found))
            said = found.n

    with interrupts.taken():
        for batch in rows:
            for part in _parts(n, len(batch.y), every):
                stream.partial_fit(batch.X[part], batch.y[part], numbers=batch.lines[part])
                n, last = n + part.stop - part.start, int(batch.lines[part.stop - 1])
                n_yes += int((batch.y[part] > 0.0).sum())
                waits = rows.paused and part.stop == len(batch.y)  # for further rows
                if waits or (every and n // every > said // every):
                    note(stream.verdict)
                elif stream.so_far is not None:
                    note(stream.so_far)
        if rows.stopped and (not n or None in (rows.labels.yes, rows.labels.no)):
            raise KeyboardInterrupt
        verdict = stream.verdict
        note(verdict)
    return StreamReport(rows, n_yes, last, verdict, stream.learner, rows.stopped)


def _parts(before: int, n: int, every: int | None) -> Iterator[slice]:
    """Yield parts of n further rows, each up to the next multiple of `every`; none is tiny."""
    start, step = 0, every and -(-LEAST_PART // every) * every
    while start < n:
        stop = n if step is None else min(n, start + step - (before + start) % step)
        yield slice(start, stop)
        start = stop


def _settled(rows: IncrementalCsv, stream: Stream, table: str) -> StreamVerdict:
    """Return what is known after reading a file again, as often as it takes."""
    from separatrix.tables.incremental import IncrementalCsv

    no, yes = rows.labels.both

    def read() -> Iterator[tuple[Untyped, ...]]:
        with open(table, "rb") as file:
            again = IncrementalCsv(file, rows.name, rows.labels.column, yes, no, rows.options)
            for batch in again:
                yield batch.X, batch.y, batch.lines

    return stream.settle(read)


def _model_text(report: StreamReport) -> str:
    """Return the model file of the learner."""
    import numpy as np

    from separatrix.model import text_of
    from separatrix.model.joining import single
    from separatrix.model.kinds import Origin, TableModel
    from separatrix.tables import Encoding, NumberEncoding

    rows = report.rows
    encoding = Encoding(tuple(NumberEncoding(name, None) for name in rows.features))
    origin = Origin(rows.sha256, "csv", rows.head.dialect)
    table = TableModel(encoding, rows.labels.column, rows.extra, origin)
    labels = np.array(rows.labels.both)
    return text_of(single(report.learner, labels, rows.features, table))


def _print(report: StreamReport, written: list[str], asked: dict[str, Any]) -> None:
    """Print the first screen, or JSON."""
    from separatrix.report.stream import stream_json, stream_screen

    if asked["as_json"]:
        write_out(stream_json(report))
        return
    from separatrix.files import free_name
    from separatrix.report.screen import next_lines, screen_text
    from separatrix.report.words import language_of_locale, words_of

    words = words_of(asked["lang"] or language_of_locale())
    predict = "separatrix predict {} NEW.csv".format
    commands = [(predict(shlex.quote(path)), predict("MODEL")) for path in written]
    options = [] if written else [f"--model {free_name('model.json')}"]
    after = next_lines(written, commands, command_line(), options, words)
    write_out(screen_text([*stream_screen(report, words), *after], words))
