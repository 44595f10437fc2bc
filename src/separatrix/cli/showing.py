"""What commands print: verdicts and files on stdout, notes and progress on stderr."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import shlex
import shutil
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

import click

from separatrix._types import Untyped
from separatrix.said import Said

if TYPE_CHECKING:
    from separatrix.kernels.warm_up import Underway
    from separatrix.report.screen import NextSteps
    from separatrix.report.wording import Section
    from separatrix.scale.rows import Reads
    from separatrix.verdict import MulticlassVerdict, Verdict

CLEARED = "\r\033[K"  # to the beginning of a terminal's line, and nothing on it
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
            parts = [*first, *sections(verdict).values()]
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


def say(sentence: str, before: str = "") -> None:
    """Print a note on stderr; a note that cannot be printed is dropped and ends no command."""
    with dropped_notes():
        click.echo(f"{before}separatrix: {_in_language(sentence)}", err=True)


def _in_language(sentence: str) -> str:
    if not isinstance(sentence, Said):
        return sentence
    from separatrix.report.words import again, language_of_locale, speaking, words_of

    context = click.get_current_context(silent=True)
    lang = context and context.params.get("lang")
    with speaking(words_of(lang or language_of_locale())):
        return again(sentence)


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


@contextmanager
def _line(shown: _Shown) -> Iterator[None]:
    """Show what is being done on the last line of the terminal, written anew while it lasts."""
    over = threading.Event()

    def turn() -> None:
        for mark in itertools.cycle("|/-\\"):
            said = shown.text()[: max(0, shutil.get_terminal_size().columns - 3)]
            _write(f"{mark} {''.join(c if c.isprintable() else '?' for c in said)}")
            if over.wait(0.1):
                return

    thread = threading.Thread(target=turn, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        _write("")


def _write(line: str) -> None:
    with dropped_notes():
        click.echo(f"{CLEARED}{line}", nl=False, err=True)


def _has_line(quiet: bool) -> bool:
    """Whether what is being done is shown: on a terminal that can write a line anew."""
    return not quiet and sys.stderr.isatty() and os.environ.get("TERM") not in ("dumb", "")


@contextmanager
def progress(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Yield a function that says what is being done, on a terminal only."""
    from separatrix.kernels._misses import helped

    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # where its cache is: not for users
    shown = _Shown() if _has_line(quiet) else None

    def note(sentence: str) -> None:
        if not quiet:
            say(sentence, "" if shown is None else CLEARED)

    def show_warning(message: Warning | str, category: type, *_: Untyped, **__: Untyped) -> None:
        if category.__module__.startswith("separatrix"):  # other libraries' are not for users
            from separatrix.data import typed

            note(message if isinstance(message, str) else typed(message))

    with warnings.catch_warnings():
        warnings.showwarning = show_warning
        with _announced(note), helped():
            if shown is None:
                yield _facts_only(note)
                return
            with _line(shown):
                yield shown


@contextmanager
def _announced(note: Callable[[str], None]) -> Iterator[None]:
    """Call `note` with what is logged, each of which is logged once in a process."""
    log, handler = logging.getLogger("separatrix"), logging.Handler(logging.INFO)
    handler.emit = lambda record: note(record.getMessage())  # type: ignore[method-assign]
    level = log.level
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
def compile_line(quiet: bool) -> Iterator[Callable[[Underway], None]]:
    """Yield what says how far the compiling of which kernel is, on a terminal only."""
    shown, began = _Shown() if _has_line(quiet) else None, time.monotonic()

    def advance(underway: Underway) -> None:
        done, total, _, name = underway
        left = (time.monotonic() - began) * (total - done) / max(done, 1)
        about = f", about {_rounded(left)} left" if done else ""
        if shown:
            shown(f"compiling {done}/{total}{about}: {name or 'starting processes'}")

    with _line(shown) if shown else contextlib.nullcontext():
        yield advance


def _rounded(seconds: float) -> str:
    """Return a time to come: "40 s", "12 min" or "3 h"."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


class _Shown:
    """What is being done; after a while without news, also for how long and how far a pass is."""

    def __init__(self) -> None:
        self("starting")

    def __call__(self, sentence: str) -> None:
        self.read: tuple[int, int] | None = None
        self.reads: Reads | None = None
        self.sentence, self.since = sentence, time.monotonic()

    def of_rows(self, done: int, n: int, reads: Reads) -> None:
        """Take how many of n rows a pass over a table in blocks has read, and all its reads."""
        self.read, self.reads = (done, n), reads

    def text(self) -> str:
        """Return the sentence as it reads now."""
        read, reads, sentence = self.read, self.reads, self.sentence  # of one moment: see `_line`
        if reads is not None and (left := reads.seconds_left) is not None:
            what = sentence[len(getattr(sentence, "facts", "")) :].removeprefix(": ")
            done, n = reads.done, reads.expected
            return f"{what}: {done:.1f} of about {n:.0f} reads, about {_rounded(left)} left"
        seconds = int(time.monotonic() - self.since)
        if seconds < PATIENCE:
            return sentence
        share = ""
        if read is not None:
            done, n = read
            share = f", {done / n:.0%} of {n:,} rows read"
        return f"{sentence}{share}, {seconds} s"
