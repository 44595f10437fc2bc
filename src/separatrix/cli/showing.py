"""What commands print: verdicts and files on stdout, notes and progress on stderr."""

from __future__ import annotations

import contextlib
import logging
import os
import shlex
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

import click

from separatrix._types import Untyped

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status
    from rich.text import Text

    from separatrix.kernels.warm_up import Underway
    from separatrix.report.screen import NextSteps
    from separatrix.report.wording import Section
    from separatrix.scale.rows import Reads
    from separatrix.verdict import MulticlassVerdict, Verdict

PATIENCE = 3  # seconds after which it is said for how long something has been done


def print_verdict(
    verdict: Verdict | MulticlassVerdict, *, as_json: bool, full: bool, lang: str | None,
    next_steps: NextSteps, first: Sequence[Section] = (),
) -> None:  # fmt: skip
    """Print a verdict, after other sections: its first screen, or all of it."""
    if as_json:
        from separatrix.report.as_json import to_json

        write_out(to_json(verdict))
        return
    from separatrix.report.words import language_of_locale, speaking, words_of

    words = words_of(lang or language_of_locale())
    if full:
        from separatrix.report.screen import summary
        from separatrix.report.sections import full_text, sections

        columns = min(100, shutil.get_terminal_size().columns) if sys.stdout.isatty() else 100
        with speaking(words):
            parts = [*first, *sections(verdict)]
            text = full_text(parts, summary(verdict, words), words, columns)
        write_out(text)
        return
    from separatrix.report.screen import WIDTH, screen_of, screen_text
    from separatrix.report.wording import section_text

    shown = [section_text(section, words, WIDTH) for section in first]
    screen = screen_text([*screen_of(verdict, words), *next_steps.lines(words)], words)
    write_out("\n".join([*shown, screen]))


def write_out(text: str) -> None:
    """Write to stdout as UTF-8 whatever the locale; names may hold any character."""
    stream = sys.stdout
    if not hasattr(stream, "buffer"):
        stream.write(text)
        return
    try:
        stream.buffer.write(text.encode("utf-8", "backslashreplace"))
        stream.buffer.flush()
    except BrokenPipeError:
        discard(stream)


def say(sentence: str) -> None:
    """Print a note on stderr; a note that cannot be printed is dropped and ends no command."""
    with dropped_notes():
        click.echo(f"separatrix: {sentence}", err=True)


@contextmanager
def dropped_notes() -> Iterator[None]:
    """Drop what cannot be printed on stderr (a closed pipe, a full disk), and all that follows."""
    try:
        yield
    except OSError:
        discard(sys.stderr)


def discard(stream: IO[str]) -> None:
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def command_line() -> str:
    return shlex.join(["separatrix", *sys.argv[1:]])


def console(stream: IO[str]) -> Console:
    from rich.console import Console

    return Console(file=stream, highlight=False, soft_wrap=False)  # rich reads NO_COLOR itself


@contextmanager
def progress(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Yield a function that says what is being done: a spinner, on a terminal only."""
    from separatrix.kernels._misses import helped

    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # where its cache is: not for users
    spinner = None if quiet or not sys.stderr.isatty() else console(sys.stderr).status("starting")

    def note(sentence: str) -> None:
        if spinner is not None:
            spinner.console.print(f"separatrix: {sentence}", markup=False)
        elif not quiet:
            say(sentence)

    def show_warning(message: Warning | str, category: type, *_: Untyped, **__: Untyped) -> None:
        if category.__module__.startswith("separatrix"):  # other libraries' are not for users
            from separatrix.data import typed

            note(message if isinstance(message, str) else typed(message))

    with warnings.catch_warnings():
        warnings.showwarning = show_warning
        with _announced(note), helped():
            if spinner is None:
                yield _facts_only(note)
                return
            with spinner:
                yield _Shown(spinner)


class _Notes(logging.Handler):
    """Hands every message to a function."""

    def __init__(self, note: Callable[[str], None]) -> None:
        super().__init__(logging.INFO)
        self.note = note

    def emit(self, record: logging.LogRecord) -> None:
        """Hand it on."""
        self.note(record.getMessage())


@contextmanager
def _announced(note: Callable[[str], None]) -> Iterator[None]:
    """Call `note` with what is logged, each of which is logged once in a process."""
    log = logging.getLogger("separatrix")
    level, handler = log.level, _Notes(note)
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.setLevel(level)
        log.removeHandler(handler)


def _facts_only(note: Callable[[str], None]) -> Callable[[str], None]:
    """Return what notes the facts that sentences begin with (`judging.Told`), once each."""
    noted = {""}

    def tell(sentence: str) -> None:
        facts = getattr(sentence, "facts", "")
        if facts not in noted:
            noted.add(facts)
            note(facts)

    return tell


@contextmanager
def compile_bar(quiet: bool) -> Iterator[Callable[[Underway], None]]:
    """Yield what moves a bar of the kernels that are compiled, shown on a terminal only."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    columns = BarColumn(), MofNCompleteColumn(), TimeLeft(), TextColumn("{task.description}")
    with Progress("compiling", *columns, console=console(sys.stderr), transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def advance(underway: Underway) -> None:
            count, name = underway.kernels, underway.name
            said = f"{count} kernels so far: {name}" if count else "starting processes"
            bar.update(task, completed=underway.done, total=underway.total, description=said)

        yield advance


class _Shown:
    """Shows what is being done, and how much of it, beside a spinner."""

    def __init__(self, spinner: Status) -> None:
        self.spinner, self.now = spinner, _Underway("")

    def __call__(self, sentence: str) -> None:
        self.now = _Underway(sentence)
        self.spinner.update(self.now)

    def of_rows(self, done: int, n: int, reads: Reads) -> None:
        """Take how many of n rows a pass over a table in blocks has read, and all its reads."""
        self.now.read, self.now.reads = (done, n), reads


def _rounded(seconds: float) -> str:
    """Return a time to come: "40 s", "12 min" or "3 h"."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


class _Underway:
    """What is being done; after a while without news, also for how long and how far a pass is."""

    def __init__(self, sentence: str) -> None:
        self.sentence, self.since = sentence, time.monotonic()
        self.read: tuple[int, int] | None = None
        self.reads: Reads | None = None

    def __rich__(self) -> Text:
        """Return the sentence as it reads now; the spinner asks whenever it turns."""
        from rich.text import Text

        if self.reads is not None and (left := self.reads.seconds_left) is not None:
            what = self.sentence[len(getattr(self.sentence, "facts", "")) :].removeprefix(": ")
            done, n = self.reads.done, self.reads.expected
            return Text(f"{what}: {done:.1f} of about {n:.0f} reads, about {_rounded(left)} left")
        seconds = int(time.monotonic() - self.since)
        if seconds < PATIENCE:
            return Text(self.sentence)
        share = ""
        if self.read is not None:
            done, n = self.read
            share = f", {done / n:.0%} of {n:,} rows read"
        return Text(f"{self.sentence}{share}, {seconds} s")
