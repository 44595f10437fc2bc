"""The files of a command: written all or none, before anything is printed, and remembered."""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from separatrix._types import Untyped


@dataclass(slots=True)
class Written:
    """The files that the running command has written."""

    paths: list[str] = field(default_factory=list)  # whole ones
    checkpoint: str | None = None

    def __bool__(self) -> bool:
        return bool(self.paths)

    def __str__(self) -> str:
        """Return "m.json and p.json were written", for a command that did not end well."""
        *first, last = (os.path.basename(path) for path in self.paths)
        names = f"{', '.join(first)} and {last}" if first else last
        return f"{names} {'were' if first else 'was'} written"


def write_files(contents: Mapping[str, str | bytes]) -> None:
    """Write the files of a command, all or none, in this order; `InputError` where it cannot be."""
    from separatrix.files import write_together

    write_together(contents)
    note_written(*contents)


def note_checkpoint(path: str | None) -> None:
    """Remember the file from which the running command can go on; None where it has ended."""
    written = click.get_current_context().find_object(Written)
    if written is not None:
        written.checkpoint = path


SEPARABILITY = "a proof of separability"
FEWEST = "a proof of the fewest mistakes"
LEARNED = "a proof of what was learned"
INTERVALS = "a proof of likelihood intervals"
OF_LEARNERS = {"PLA", "optimum"}  # claims that only `learn` has
OF_MISTAKES = {"mistakes", "mistakes at least", "fewest mistakes"}
NAMELESS = re.compile(r"last|column \d+|\d+")  # names of columns that no file names
LOOKED_AT = 2**16  # bytes, from either end
SIGNS = {  # what separatrix writes, by what stands in it
    "a model": rb'\A\{\s*"format": "separatrix model"',
    "a proof": rb'\A\{\s*"claim":',
    "a scorecard": rb'\A(\{\s*"format": "separatrix scorecard"|Scorecard: )',
    "a checkpoint": rb'\A[0-9a-f]{64}\n\{"format": "separatrix checkpoint ',
    "a report": rb'<meta name="generator" content="separatrix report">',
    "a report of coefficients": rb'<meta name="generator" content="separatrix coefficients">',
    "a film": rb"\AGIF89a.*!\xfe\nseparatrix\0|\A.{4}ftyp.*separatrix",
    "the lab": rb"<title>separatrix lab</title>",
    "a picture": rb"\A\x89PNG.*Software\0separatrix|\A%PDF.*/Creator \(separatrix\)|"
    rb"\A<\?xml.*<dc:title>separatrix</dc:title>",
    "an ONNX graph": rb"\A\x08.\x12\nseparatrix",
    "a SELECT": rb'\A(/\*[^\n]*\*/\n)?WITH "cells" AS',
    "the table of a proof": rb'\A[^\n]*,"?answer"?\n',
    "answers": rb'\A("?file"?,)?"?(line|row|record)"?,"?answer"?,"?score|'
    rb"\APAR1.*\x06answer.*\x05score",
    "coefficients as CSV": rb"\Aname,estimate,standard_error,z,",
    "coefficients in LaTeX": rb"\A% \\usepackage\{booktabs\}",
    "grades": rb"\Afile,student,task,right,",
    "a table of points": rb"\A(x\d+,)+label\n|\APAR1.*\x02x1.*\x05label",
    "a table of credits": rb"\Aage,gender,annual_salary,|\APAR1.*\x0dannual_salary",
    "a table of graduations": rb"\Acredits,failed_courses,|\APAR1.*\x0efailed_courses",
}


class OutputFile(click.Option):
    """An option that names a file to be written."""

    def __init__(
        self, names: Sequence[str], *, kind: str | Callable[[dict[str, Untyped]], str],
        stdout: bool = False, **how: Untyped,
    ) -> None:  # fmt: skip
        super().__init__(names, metavar="F", **how)
        self.kind, self.stdout = kind, stdout


def output_option(*names: str, **how: Untyped) -> Callable[[Untyped], Untyped]:
    """Return an `OutputFile`; the first of a command brings `--overwrite`."""

    def decorate(command: Untyped) -> Untyped:
        known = getattr(command, "params", getattr(command, "__click_params__", []))
        if all(option.name != "overwrite" for option in known):
            command = click.option(
                "--overwrite", is_flag=True, expose_value=False,
                callback=lambda ctx, _, value: ctx.meta.__setitem__(__name__, value),
                help="Write over files that hold something else.",
            )(command)  # fmt: skip
        return click.option(*names, cls=OutputFile, **how)(command)

    return decorate


def overwrites() -> bool:
    return bool(click.get_current_context().meta.get(__name__))


def refuse_outputs(*inputs: str | None) -> None:
    """Raise for output files of the running command that must not be written, or cannot be."""
    from separatrix.files import refuse_unwritable

    context = click.get_current_context()
    read = [path for path in inputs if path not in (None, "-")]
    seen: dict[str, str] = {}
    for option in context.command.params:
        path = context.params.get(option.name or "")
        if path is None or not isinstance(option, OutputFile) or (path == "-" and option.stdout):
            continue
        flag = option.opts[0]
        if path == "-":
            raise click.UsageError(f"{flag} needs the name of a file: stdout has what is printed.")
        kind = option.kind if isinstance(option.kind, str) else option.kind(context.params)
        for name, one in _with_those_beside(flag, path, kind).items():
            _refuse_same_file(name, one, seen)
            refuse_unwritable(one, read)
            if not overwrites() and os.path.exists(one) and os.path.getsize(one):
                _refuse_loss(name, one, kind, path)


def _with_those_beside(flag: str, path: str, kind: str) -> dict[str, str]:
    """Return an output {its option: path} and, for a proof, the files that it may bring."""
    if not kind.startswith("a proof"):
        return {flag: path}
    from separatrix.proving.files import names_beside

    return {flag: path, **{f"{Path(one).name} beside {flag}": one for one in names_beside(path)}}


def _refuse_same_file(name: str, path: str, seen: dict[str, str]) -> None:
    """Raise a usage error where an output names the file of one before it, {path: its name}."""
    for other, first in seen.items():
        there = os.path.exists(path) and os.path.exists(other)
        if os.path.realpath(path) == os.path.realpath(other) or (
            there and os.path.samefile(path, other)
        ):
            raise click.UsageError(f"{first} and {name} name the same file.")
    seen[path] = name


def _refuse_loss(name: str, path: str, kind: str, of_option: str) -> None:
    """Raise `InputError` where `path` holds anything else than an earlier result of its kind."""
    from separatrix.data import InputError, shortened
    from separatrix.files import free_name

    if path != of_option:  # beside a proof, which names its files by their SHA-256
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if os.path.exists(of_option) and digest.encode() in Path(of_option).read_bytes():
            return
        if held_in(path)[0] == "the table of a proof":  # compared when its like is there
            return
        kind, what = "what a proof brings", f"no part of {of_option}"
    else:
        held, about = held_in(path)
        is_more = held == SEPARABILITY and kind in (FEWEST, LEARNED)  # a proof that claims it, too
        if (held == kind or is_more) and _about_the_same(about):
            return
        what = f"{held} ({shortened(about.strip(': '))})" if about else held
        if held == kind:
            kind = f"one of {': '.join(_asked())}"
    raise InputError(
        f"{name}: {shortened(repr(path))} is {what}; {kind} would be written over it. Name another "
        f"file, such as {free_name(of_option)}, or add --overwrite."
    )


def held_in(path: str) -> tuple[str, str]:
    """Return what a file is, of `SIGNS` or a proof, and its table and label or beginning."""
    with open(path, "rb") as file:
        ends = file.read(LOOKED_AT)
        file.seek(max(LOOKED_AT, os.path.getsize(path) - LOOKED_AT))
        ends += file.read()
    kind = next((k for k, sign in SIGNS.items() if re.search(sign, ends, re.DOTALL)), "")
    if kind == "a report":
        title = re.search(rb"<title>(.*?)</title>", ends, re.DOTALL)
        return kind, html.unescape(title[1].decode("utf-8", "replace")) if title else ""
    if kind not in ("a model", "a proof"):
        begins = ends[:40].decode("utf-8", "replace").partition("\n")[0]
        return kind or "a file that separatrix did not write", "" if kind else repr(begins)
    try:
        content = json.loads(Path(path).read_bytes())
        if kind == "a model":
            return kind, f": {(content['table'] or {}).get('label', '')}"
        parts = content.get("questions", [content])
        return _proof_of({claim["kind"] for part in parts for claim in part["claims"]}, content)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return f"a broken file, once {kind}", ""


def _proof_of(claims: set[str], content: dict[str, Untyped]) -> tuple[str, str]:
    kind = FEWEST if claims & OF_MISTAKES else SEPARABILITY
    bounded = "margin at most" in claims and "separable" not in claims  # by the updates of PLA
    if claims & OF_LEARNERS or bounded or (kind == FEWEST and content.get("left_out")):
        kind = LEARNED
    if "likelihood intervals" in claims:
        kind = INTERVALS
    column = re.search(r"column '([^']*)' '", content["claim"][0])
    table = content["table"]
    (file, *_), made = table.get("made_of", table)["files"], "made_of" in table
    return kind, f"{file['name']}: {'' if made else column[1] if column else ''}"


def _asked() -> tuple[str, str]:
    asked = click.get_current_context().params
    table, label = asked.get("table") or "", asked.get("label") or ""
    if isinstance(table, tuple):
        table = table[0] if len(table) == 1 else ""
    return os.path.basename(table) if os.path.isfile(table) else "", label.strip()


def _about_the_same(about: str) -> bool:
    """Return whether "table: label" may be those of the running command; either may be unknown."""
    from separatrix.tables.wording import plain

    table, label = _asked()
    if table and about[:2] not in ("", ": ") and not about.startswith((table, plain(table))):
        return False
    if not label or not about or about.endswith(": ") or NAMELESS.fullmatch(label):
        return True
    found = tuple(f": {text}".casefold() for text in (label, plain(label)))
    return about.casefold().endswith(found) or os.path.isfile(label)


def note_written(*paths: str) -> None:
    written = click.get_current_context().find_object(Written)
    if written is not None:
        written.paths.extend(paths)


def command_again(*kept: str) -> str:
    """Return the running command without its output files: what is added to it writes over none.

    Options that are kept, such as the report's own, stay.
    """
    left_out = {
        word: option.is_flag
        for option in click.get_current_context().command.params
        if isinstance(option, OutputFile)
        or (isinstance(option, click.Option) and option.name in ("line", "overwrite"))
        for word in option.opts
        if word not in kept
    }
    words, skipped = ["separatrix"], False
    for word in sys.argv[1:]:
        if not skipped and word.partition("=")[0] not in left_out:
            words.append(word)
        skipped = not skipped and not left_out.get(word, True)
    return shlex.join(words)
