"""Options that several commands share."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

import click

from separatrix._types import Untyped


def together(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def decorate(command: Untyped) -> Untyped:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


LEARNING = (
    "degree", "group", "multiclass", "learner", "learners", "fewest_seconds", "fewest_nodes",
    "level", "firth", "wald", "exact", "penalty", "threshold", "test", "robust", "reference", "per",
)  # fmt: skip
OUTPUT = (
    "model_path", "report_path", "line", "proof_path", "as_json", "full", "lang", "quiet", "help",
    "csv_path", "latex_path", "caption", "plot_path", "overwrite",
)  # fmt: skip


class OfOneTable(click.Command):
    """A command of one table: for more files it names the pattern that makes them one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.allow_extra_args = True
        more = super().parse_args(ctx, args)
        if more and not ctx.resilient_parsing:
            words = " ".join(map(shlex.quote, more[:3]))
            words += f" and {len(more) - 3} more" if more[3:] else ""
            raise click.UsageError(
                f"too many arguments for {self.name}, which takes one TABLE: {words}. Several "
                'files are one table as a pattern in quotes, such as "csv/*.csv".',
                ctx,
            )
        return more


class Grouped(OfOneTable):
    """A command whose options are listed by what they are for."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in three groups; what is in neither list is about reading."""
        groups: dict[str, list[tuple[str, str]]] = {"Reading": [], "Learning": [], "Output": []}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record is not None:
                learning = "Learning" if option.name in LEARNING else "Reading"
                groups["Output" if option.name in OUTPUT else learning].append(record)
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)


# How a table is read: the same for every command that reads one, but for what a model knows.
dialect_options = together(
    click.option("--delimiter", metavar="CHAR",
                 help="Between fields: a character, tab or whitespace."),
    click.option("--encoding", metavar="NAME",
                 help="Of the text, such as latin-1. [default: UTF-8, else that of MODEL's table]"),
    click.option("--decimal", type=click.Choice([".", ","]),
                 help="The decimal mark. [default: ., or that of MODEL's table]"),
    click.option("--no-header", "header", flag_value=False, default=None, type=bool,
                 help="The first line is data; the columns are then 'column 1', 'column 2', ..."),
    click.option("--header", "header", flag_value=True, type=bool,
                 help="The first line is names, though it looks like data."),
    click.option("--quote", metavar="CHAR", default='"', show_default=True, help="Around fields."),
    click.option("--format", type=click.Choice(["csv", "parquet", "svmlight", "xlsx", "sas7bdat",
                                                "dta", "sav", "sqlite", "duckdb"]),
                 metavar="NAME", help="csv, parquet, svmlight, xlsx, sas7bdat, dta, sav, sqlite or "
                 "duckdb. [default: found out]"),
    click.option("--query", metavar="SQL", help="The SELECT to read from a SQLite or DuckDB file."),
    click.option("--sheet", metavar="NAME", help="The sheet of a workbook."),
)  # fmt: skip

# What a table to learn from is: which column answers, which rows and columns take part.
table_options = together(
    click.option("--label", metavar="COL",
                 help="The column to be answered; needed but for LIBSVM files."),
    click.option("--yes", metavar="V",
                 help="The label that means yes. [default: of two the one that says yes, "
                 "else the second, sorted]"),
    click.option("--drop", metavar="COL", multiple=True, help="Leave COL out. Repeatable."),
    click.option("--weight", metavar="COL", help="Row weights: k stands for k copies of the row. "
                 "PLA takes none (k copies would be k visits); its mistakes are still weighed."),
    click.option("--missing", type=click.Choice(["drop", "fill", "level"]), default="drop",
                 show_default=True, help="Drop rows with missing values; fill in medians and "
                 "commonest levels; or make missing a level of its own (for numbers a 0/1 column "
                 "beside them)."),
    click.option("--parse", metavar="KINDS", default="", callback=lambda _, __, value:
                 tuple(word.strip() for word in value.split(",") if word.strip()),
                 help="Read text: money (€ 1.730,50), percent (3,64 % is 3.64), thousands "
                 "(1'000), dates (days since the earliest; add day-first or month-first where "
                 "dates do not show it). With commas between."),
    click.option("--fold-case", is_flag=True, help="Levels that differ in case or blanks are the "
                 "same; y and n are yes and no beside these."),
    click.option("--group-rare", type=click.IntRange(min=0), default=0, metavar="N",
                 help="Levels in fewer than N rows become the level (rare)."),
    click.option("--unlabelled", type=click.Choice(["refuse", "drop"]), default="refuse",
                 show_default=True, help="What to do with rows without a label."),
    click.option("--fold-labels", is_flag=True,
                 help="Labels that differ in case or blanks are the same."),
    click.option("--as-category", "--text", "text", metavar="COL", multiple=True,
                 help="Read COL as categories though it looks like numbers or dates. Repeatable."),
    click.option("--degree", type=click.IntRange(min=1), default=1, show_default=True, metavar="K",
                 help="Lines in all products of up to K columns (a, b, a^2, a b, b^2): curves in "
                 "the table."),
)  # fmt: skip
multiclass_option = click.option(
    "--multiclass", type=click.Choice(["ova", "ovo"]),
    help="For three labels or more: each against the rest, or each against each.",
)  # fmt: skip
learner_options = together(
    click.option("--learner", type=click.Choice(["logistic", "linear", "pocket", "pla"]),
                 help="Select this learner. [default: of those within one standard error of the "
                 "least cross-validated error the one that gives probabilities, then the simpler "
                 "one]"),
    click.option("--learners", metavar="NAMES", help="Compare these learners only, with commas "
                 "between. [default: logistic,linear,pocket,pla]"),
    click.option("--penalty", metavar="C|firth", help="Logistic regression with a penalty, whose "
                 "coefficients are finite on every table: C of |w|^2 / (2 C) on standardised "
                 "columns (1 is usual), or Firth's. It is selected, unless --learner names "
                 "another."),
)  # fmt: skip
threshold_option = click.option(
    "--threshold", type=click.FloatRange(0, 1, min_open=True, max_open=True), metavar="P",
    help="Answer yes above the probability P of yes. [default: what the model remembers, or 0.5]",
)  # fmt: skip


# How long to look for the fewest mistakes of any line; without either a second at most.
fewest_options = together(
    click.option("--fewest-seconds", type=click.FloatRange(min=0), metavar="S",
                 help="Look S seconds for the fewest mistakes of any line; Ctrl-C ends that search "
                 "and keeps what it found. [default: learn a second at most, prove no limit]"),
    click.option("--fewest-nodes", type=click.IntRange(min=0), metavar="K",
                 help="Look at K boxes (parts of the space of all lines) for it: the same answer "
                 "on every machine; with seconds as well, whichever ends first. Of a table in "
                 "blocks: tiles of 4096 rows."),
)  # fmt: skip


class Language(click.Choice[str]):
    """A language; zh, zh-TW and zh_TW are zh-Hant too."""

    def convert(self, value: Untyped, param: Untyped, ctx: Untyped) -> str:
        """Return "en" or "zh-Hant"; a usage error for another language."""
        chinese = str(value).casefold().replace("_", "-") in {"zh", "zh-tw", "zh-hk", "zh-hant"}
        return super().convert("zh-Hant" if chinese else value, param, ctx)


lang_option = click.option(
    "--lang", type=Language(["en", "zh-Hant"]),
    help="Of the first screen and the report. [default: of the locale, or en]",
)  # fmt: skip

# What is printed: the first screen or all of it, and in which language.
print_options = together(
    click.option("--full", is_flag=True, help="Print all that was found, not the first screen."),
    lang_option,
    click.option("--json", "as_json", is_flag=True, help="The verdict as JSON on stdout."),
)  # fmt: skip
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No notes or progress on stderr.")
