"""`separatrix check`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from separatrix.cli.options import OfOneTable, dialect_options, lang_option
from separatrix.cli.question import Question, asks, blocks_options
from separatrix.cli.showing import say, write_out

if TYPE_CHECKING:
    from separatrix.report.words import Words
    from separatrix.tables.checking import Check, ColumnCheck

WIDTH = 80
MOST_COLUMNS = 40  # of a screen: those without a suspicion give way first
MOST_OF_A_PROBLEM = 12  # lines
WIDEST = 18, 12, 14, 9, 19  # columns of a terminal: name, kind, example, missing, range or levels


@click.command(cls=OfOneTable, short_help="Show what is in a table, what is wrong with it, and how "
               "to learn it.")  # fmt: skip
@click.argument("table", metavar="TABLE")
@click.option("--label", metavar="COL", help="The column to be answered. [default: a guess]")
@click.option("--for", "target", type=click.Choice(["sql", "onnx"]),
              help="Propose what `export` can write as SQL or ONNX.")  # fmt: skip
@asks(dialect_options, blocks_options)
@lang_option
@click.option("--json", "as_json", is_flag=True, help="What was found as JSON on stdout.")
def check(
    question: Question, label: str | None, target: str | None, lang: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Show every column of TABLE, all its problems, and a command that learns from it."""
    from separatrix.report.words import language_of_locale, speaking, words_of
    from separatrix.tables.checking import check_table, command
    from separatrix.tables.options import Reading

    table, n_files, more = question.table, len(question.files), False
    reading = Reading(**question.reading)
    if table.endswith(".npy"):
        raise click.UsageError(
            "a .npy array has numbers and no names of columns: there is nothing to check. Learn "
            f"with: separatrix learn {shlex.quote(table)} --label INDEX (0 is the first column, -1 "
            "the last), or the path of an array of labels."
        )
    if question.in_blocks:
        from separatrix.scale.tables_of_files import first_rows
        from separatrix.tables.checking import check_raw

        raw, more = first_rows(table, reading, question.memory)
        if more or n_files > 1:
            n = f"{raw.lines.size:,}"
            say(f"the first {n} rows of {raw.name} are shown: the table is in blocks")
        found = check_raw(raw, label, reading, [], target)
    else:
        found = check_table(table, label, reading, target)
    typed = command(found, table) if found.options else []
    if "--multiclass" in found.options:  # which takes arrays
        typed = [] if more or n_files > 1 else typed
    elif typed and question.memory is not None:
        typed[3:3] = ["--memory", shlex.quote(question.memory)]
    if as_json:
        import json
        from dataclasses import asdict

        said = {**asdict(found), "is_whole": not more and n_files == 1,
                "command": " ".join(typed) or None}  # fmt: skip
        write_out(f"{json.dumps(said, ensure_ascii=False)}\n")
    else:
        with speaking(words := words_of(lang or language_of_locale())):
            write_out(text_of(found, typed, words, n_files=n_files, more=more))
    if label is not None and found.label is None:  # no such column: as for other commands
        from separatrix.cli.commands import BAD_INPUT

        click.get_current_context().exit(BAD_INPUT)


def text_of(
    found: Check, typed: Sequence[str], words: Words, *, n_files: int = 1, more: bool = False
) -> str:
    """Return the screen; of several files what was found is of the first."""
    from separatrix.report.wording import beside, folded
    from separatrix.report.words import again
    from separatrix.tables.wording import plain, shown

    rows = words.count(found.n_rows, "row")
    rows = words("first_rows", rows=rows) if more else rows
    head = words(
        "check_head", name=found.name, rows=rows, columns=words.count(len(found.columns), "column")
    )
    if n_files > 1:
        head = words("check_first", n=f"{n_files:,}", head=head)
    about = words("semicolon") + f"{found.label}: {found.labels}" if found.labels else ""
    lines = [
        *folded(plain(head + about, 4 * WIDTH), WIDTH, 4),
        "",
        *_table(found.columns, words),
        "",
    ]
    if found.problems:
        lines.append(words("problems", n=len(found.problems)))
        for k, problem in enumerate(found.problems, 1):
            text = [part for line in again(problem).splitlines() for part in
                    folded(line, WIDTH - 5, MOST_OF_A_PROBLEM)]  # fmt: skip
            lines += beside(f"{k:3}.", text, 5)
        lines.append("")
    if found.yes:
        said = words("yes_is", yes=shown(found.yes), why=words.name(found.why_yes))
        lines += [*folded(said, WIDTH, 4), ""]
    lines += [words("learn_with"), *_typed(typed), ""] if typed else [words("no_command"), ""]
    return "\n".join(lines)


def _typed(command: Sequence[str]) -> list[str]:
    """Return a command over lines of the width, each but the last ended by a backslash."""
    options: list[str] = []
    for word in command:  # an option stays with its value
        if options and not word.startswith("--"):
            options[-1] += f" {word}"
        else:
            options.append(word)
    lines, line = [], " "
    for option in options:
        if len(line) + len(option) + 3 > WIDTH and line.strip():
            lines.append(f"{line} \\")
            line = "   "
        line += f" {option}"
    return [*lines, line]


def _table(columns: Sequence[ColumnCheck], words: Words) -> list[str]:
    """Return the columns as lines; beyond a screen, those with a suspicion first."""
    from separatrix.inference.printing import Grid
    from separatrix.report.wording import fitted
    from separatrix.tables.wording import plain

    chosen = list(columns)
    if len(columns) > MOST_COLUMNS:
        chosen = sorted(columns, key=lambda c: not c.suspicion)[:MOST_COLUMNS]
    head = words("check_columns").split("|")
    rows = [
        (c.name, words.name(c.kind), c.example, f"{c.missing:,}" if c.missing else "", c.holds)
        for c in chosen
    ]
    cells = [
        [fitted(plain(text), most) for text, most in zip(row, WIDEST, strict=True)]
        for row in (head, *rows)
    ]
    first, *shown = Grid(cells[0], cells[1:]).lines(of_text=True)
    lines = [first]
    for text, column in zip(shown, chosen, strict=True):
        said = "; ".join(words.name(part) for part in column.suspicion.split("; "))
        lines += [text, *([fitted(f"  -> {plain(said, WIDTH)}", WIDTH)] if said else [])]
    more = len(columns) - len(chosen)
    return [*lines, *([words("check_more", n=f"{more:,}")] if more else [])]
