"""Options in messages: written once as they are typed in a shell, and shown as Python's parameters.

A message names an option with two hyphens and perhaps its value, ``--missing fill``. Raised in
Python it reads ``missing="fill"``; the command line prints it as it was written (`typed`).
"""

from __future__ import annotations

import re

FLAGS = {
    "fold-case": "fold_case=True", "fold-labels": "fold_labels=True", "header": "header=True",
    "no-header": "header=False", "match-names": "match_names=True", "explain": "explain=True",
}  # fmt: skip
LISTS = {"drop": "drop", "text": "text", "as-category": "text", "parse": "parse"}
VALUES = {
    name: name.replace("-", "_")
    for name in (
        "label", "yes", "weight", "group", "missing", "unlabelled", "delimiter", "encoding",
        "quote", "decimal", "format", "query", "sheet", "group-rare", "degree", "multiclass",
        "learner", "learners", "unknown", "learned-from", "penalty",
    )
}  # fmt: skip
WORDS = frozenset({
    "drop", "fill", "level", "refuse", "blank", "ova", "ovo", "csv", "parquet", "svmlight", "tab",
    "whitespace", "logistic", "linear", "pocket", "pla", "dates", "latin-1", "utf-8", "utf-16",
    "utf-16-le", "utf-16-be", "cp1252", ",", ".",
})  # fmt: skip
KINDS = "money", "percent", "thousands", "dates", "day-first", "month-first"
QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
OPTION = re.compile(
    rf"(?<!\w)(?:{QUOTED})"  # a name of the user's, in which nothing is an option
    rf"|(?<![\w-])--(?P<name>[a-z]+(?:-[a-z]+)*)"
    rf"(?: (?P<value>{QUOTED}|[A-Z]+\b|\d+\b|[.,](?= |$)|[a-z][a-z0-9,-]*[a-z0-9]))?"
)


def in_python(text: str) -> str:
    """Return a message whose options are written as parameters: ``--yes NO`` is ``yes=NO``."""
    return OPTION.sub(_parameter, text) if "--" in text else text


def _parameter(found: re.Match[str]) -> str:
    name, value = found["name"], found["value"]
    if name is None or name not in {*FLAGS, *LISTS, *VALUES}:
        return found[0]
    if name in FLAGS:
        return FLAGS[name] + ("" if value is None else f" {value}")
    parameter = (LISTS | VALUES)[name]
    if value is None:
        return parameter
    parts = value.split(",") if name == "parse" else [value]
    if value[0].islower() or value in WORDS:
        if not WORDS.union(KINDS).issuperset(parts):
            return f"{parameter} {value}"  # what the sentence goes on with
        parts = [f'"{part}"' for part in parts]
    return f"{parameter}=[{', '.join(parts)}]" if name in LISTS else f"{parameter}={parts[0]}"
