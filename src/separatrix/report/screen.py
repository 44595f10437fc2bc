"""The first screen: the answer in at most 15 lines of 80 columns."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from separatrix.model import strongest_first
from separatrix.report.answer import (
    AnyVerdict,
    called,
    guessing,
    mistakes_in_words,
    model_in_words,
    per_cent,
    questions_of,
    ranking_in_short,
    ranking_of,
    table_of,
)
from separatrix.report.question import (
    Infinite,
    amount,
    infinite_of,
    infinite_weights,
)
from separatrix.report.wording import beside, bound_in_words, folded, plain, width
from separatrix.report.words import Words, words_of
from separatrix.tables import CategoryColumn
from separatrix.verdict import JointResult, MulticlassVerdict, Verdict
from separatrix.verdict.candidates import LOGISTIC, PLA

WIDTH = 80
MOST_LINES = 15
MOST_OF_A_PART = 3
MOST_COMMANDS = 6
CAN_WAIT = (  # which parts lose a line first
    "warnings", "separable", "weights", "table", "weights", "separable", "warnings", "fit",
    "mistakes",
)  # fmt: skip
LABELS = (
    "table", "ranking", "separable", "fit", "model", "mistakes", "weights", "warnings", "written",
    "next",
)  # fmt: skip
MOST_NAMES = 3
MOST_WEIGHTS = 5
RARE = 0.1  # of the rows: levels rarer than that are offered to --group-rare


@dataclass(frozen=True, slots=True)
class Line:
    """One part of the screen: a label, and the paragraphs beside it, the longest text first."""

    label: str
    texts: Sequence[tuple[str, ...]]

    @classmethod
    def of(cls, label: str, *texts: str) -> Line:
        return cls(label, [(text,) for text in dict.fromkeys(texts)])


def first_screen(verdict: AnyVerdict, lang: str = "en") -> str:
    """Return the answer in at most 15 lines of 80 columns, ending in a newline."""
    words = words_of(lang)
    return screen_text(screen_of(verdict, words), words)


def screen_of(verdict: AnyVerdict, words: Words) -> list[Line]:
    """Return the parts of the screen, in the reader's order."""
    if isinstance(verdict, MulticlassVerdict):
        separable, fit = _separable_labels(verdict, words), _fits(verdict, words)
    else:
        separable, fit = _separable(verdict, words), _fit(verdict, words)
    rare = ranking_in_short(verdict, words)
    return [
        Line.of("table", *_table(verdict, words)),
        *([Line.of("ranking", rare)] if rare else []),
        separable,
        Line.of("fit", *fit),
        Line.of("model", *model_in_words(verdict, words)),
        Line.of("mistakes", _mistakes(verdict, words)),
        Line.of("weights", *_weights(verdict, words)),
        Line.of("warnings", *_warnings(verdict, words)),
    ]


def screen_text(parts: Sequence[Line], words: Words) -> str:
    """Return the parts as text, their labels in a column of their own, ending in a newline."""
    indent = 2 + max(width(words(label)) for label in LABELS)
    room = {part.label: MOST_OF_A_PART for part in parts}
    room["next"] = MOST_COMMANDS
    for whole in (True, False):
        for label in (*CAN_WAIT, *room):
            if sum(len(_shown(part, room[part.label], indent)) for part in parts) <= MOST_LINES:
                break
            part = next((part for part in parts if part.label == label), None)
            if part is None or room[label] == 1:
                continue
            if not whole or min(_length(text, indent) for text in part.texts) < room[label]:
                room[label] -= 1
    return "".join(
        f"{line.rstrip()}\n"
        for part in parts
        for line in beside(words(part.label), _shown(part, room[part.label], indent), indent)
    )


def _length(paragraphs: Sequence[str], indent: int) -> int:
    return sum(len(folded(text, WIDTH - indent, MOST_LINES)) for text in paragraphs)


def _shown(part: Line, room: int, indent: int) -> list[str]:
    """Return one part in at most `room` lines; cut only where no text of it fits."""
    fitting = (text for text in part.texts if _length(text, indent) <= room)
    paragraphs = next(fitting, part.texts[-1])
    text: list[str] = []
    for k, paragraph in enumerate(paragraphs[:room]):
        left = room - len(text) - (min(len(paragraphs), room) - k - 1)
        text += folded(paragraph, WIDTH - indent, left)
    return text


@dataclass(frozen=True, slots=True)
class NextSteps:
    """What was written, and what to type next: whole commands, or what to add to this one."""

    written: Sequence[str] | None  # files, or None for a command that writes none
    commands: Sequence[tuple[str, str]]  # whole, and short where that is too long
    command: str  # the command that is running
    options: Sequence[str]  # what can be added to it
    remedies: Sequence[str] = ()

    def lines(self, words: Words) -> list[Line]:
        """Return the last parts of the screen."""
        indent = 2 + max(width(words(label)) for label in LABELS)

        def fitting(whole: str, short: str) -> str:
            return whole if indent + width(whole) <= WIDTH else short

        steps = [fitting(whole, short or words("infer_same")) for whole, short in self.commands]
        steps += [
            fitting(f"{self.command} {more}", words("same_command", option=more))
            for more in (*self.remedies, *self.options)
        ]
        few = len(self.remedies) < MOST_NAMES
        most = max(2, len(self.commands) + len(self.remedies) + few)
        after = [Line("next", [tuple(steps[:most])])]
        if self.written is None:
            return after
        files = words("comma").join(os.path.basename(path) for path in self.written)
        return [Line.of("written", files or words("nothing_yet")), *after]


def summary(verdict: AnyVerdict, words: Words) -> str:
    """Return the answer in one sentence."""
    if isinstance(verdict, MulticlassVerdict):
        n = sum(q.separability.separable is True for q in verdict.questions)
        found = words("found_labels", n=n, all=len(verdict.questions))
    else:
        found = words(f"found_{verdict.separability.verdict}")
    best = verdict.winner
    model = words.name(plain(best.name))
    if isinstance(verdict, Verdict) and verdict.rare and verdict.rare.figures:
        model = words("summary_ranked", name=model, **ranking_of(verdict.rare, words))
    elif best.cv_error is not None:
        errors = {"error": per_cent(best.cv_error), "guess": per_cent(guessing(verdict).cv_error)}
        model = words("summary_cv", name=model, **errors)
    return words("summary", found=found, model=model)


def _joined(words: Words, items: Sequence[str], most: int = MOST_NAMES) -> str:
    """Return "a, b and 3 more"."""
    shown = words("comma").join(items[:most])
    return words("and_more", items=shown, n=len(items) - most) if len(items) > most else shown


# ---------------------------------------------------------------------- the rows


def _table(verdict: AnyVerdict, words: Words) -> list[str]:
    table = table_of(verdict)
    columns = words.count(len(table.columns), "column")
    labels = _labels(verdict, words)
    said = {"name": plain(table.name, 40), "columns": columns}
    if not table.n_dropped:
        rows = words.count(table.n_rows, "row")
        return [words("all_rows", rows=rows, labels=some, **said) for some in labels]
    used, rows = f"{table.n_rows:,}", f"{table.n_rows_in_file:,}"
    more = {"used": used, "all": rows, "dropped": f"{table.n_dropped:,}", **said}
    return [words("some_rows", labels=some, **more) for some in labels]


def _labels(verdict: AnyVerdict, words: Words) -> list[str]:
    """Return how many rows have which label; a label that is a number is told from the count."""
    table = table_of(verdict)
    if isinstance(verdict, Verdict):
        percent = 100.0 * verdict.n_yes / table.n_rows
        share = f"{percent:.2g}" if percent < 1.0 else f"{percent:.0f}"
        phrase = "share_yes" if _is_word(table.yes) else "share_number"
        said = words(phrase, label=called(table.label), yes=called(table.yes), share=share)
        rest = list(map(called, table.rest))
        return [
            words("share_rest", said=said, rest=_joined(words, rest, most)) if rest else said
            for most in (6, 4, 2)
        ]
    pairs = zip(verdict.table.names, verdict.table.counts.tolist(), strict=True)
    alike = "{} {}" if all(map(_is_word, verdict.table.names)) else "{} ({})"
    counts = [alike.format(called(name), f"{count:,}") for name, count in pairs]
    return [
        words("labels", label=called(table.label), counts=_joined(words, counts, most))
        for most in (6, 4, 2)
    ]


def _is_word(label: str) -> bool:
    return any(map(str.isalpha, label))


def _separable(verdict: Verdict, words: Words) -> Line:
    proof, lines = verdict.separability, verdict.witness_lines
    if proof.verdict == "undecided":
        return Line.of("separable", words("undecided", reason=proof.reason))
    if proof.verdict == "separable":
        rows = words.count(verdict.table.n_rows, "row")
        first, pla = words("is_separable", rows=rows), verdict.result(PLA.name)
        if pla is None or verdict.pla_bound is None:
            return Line.of("separable", first)
        t, bound = f"{pla.n_updates or 0:,}", bound_in_words(verdict.pla_bound)
        t = words("not_halted", t=t) if "budget" in pla.stopped else t
        return Line(
            "separable", [(first, words(p, t=t, bound=bound)) for p in ("pla", "pla_short")]
        )
    shown = lines if len(lines) == MOST_NAMES + 1 else lines[:MOST_NAMES]  # never hide only one
    word = "line_lines" if verdict.table.line_word == "line" else "line_rows"
    files = verdict.question.witness_files
    said = (
        words("line_of_file", line=line, file=called(file)) if file else str(line)
        for line, file in zip(shown, files, strict=False)
    )
    where = words(word, items=words("comma").join(said))
    if len(lines) == 2:
        found = words("pair", lines=where)
    elif len(shown) == len(lines):
        found = words("few_contradict", lines=where)
    else:
        found = words("contradict", rows=words.count(len(lines), "row"), lines=where)
    brief = words("few_contradict", lines=where) if len(lines) == 2 else found
    if proof.verdict == "touching":
        found = words("touching", found=found)
        brief = words("touching_short", rows=words.count(len(lines), "row"))
    return Line("separable", [(found,), (brief,)])


def _separable_labels(verdict: MulticlassVerdict, words: Words) -> Line:
    names: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    for name, question in _questions(verdict, words):
        names[question.separability.separable].append(name)
    parts = {"some_are": "yes", "some_are_not": "no", "some_open": "open"}
    texts = []
    for most in range(MOST_NAMES, 0, -1):
        said = [
            words(phrase, **{what: _joined(words, found, most)})
            for (phrase, what), found in zip(parts.items(), names.values(), strict=True)
            if found
        ]
        texts.append(f"{words('semicolon').join(said)} [{words(verdict.rule)}]")
    return Line.of("separable", *texts)


def _questions(verdict: MulticlassVerdict, words: Words) -> Iterable[tuple[str, Verdict]]:
    """Return each question with its name: of each label against the rest the label."""
    if verdict.rule == "ova":
        return [(called(q.table.yes), q) for q in verdict.questions]
    return [
        (words("one_of", no=called(q.table.no), yes=called(q.table.yes)), q)
        for q in verdict.questions
    ]


def _fit(verdict: Verdict, words: Words) -> list[str]:
    """Return whether a logistic regression without penalty exists, and else what to do."""
    proof = verdict.separability
    if proof.verdict == "undecided":
        return [words("fit_open")]
    if proof.verdict == "overlapping":
        return [words("exists_collinear" if proof.aliased else "exists")]
    found = infinite_of(verdict)
    ways_on = _remedies(verdict, found, words)
    if len(found) == len(verdict.features) + 1:
        said = [words("infinite_all", n=len(found))]
    else:
        said = _infinite(found, verdict, words) or [words("combination")]
    texts = []
    for no_fit in (words("no_fit", infinite=infinite) for infinite in said):
        texts += [*(words("then", said=no_fit, remedy=r) for r in ways_on[:-1]), no_fit]
    return [*texts[:-1], words("then", said=texts[-1], remedy=ways_on[-1]), texts[-1]]


def _infinite(found: Sequence[Infinite], verdict: Verdict, words: Words) -> list[str]:
    """Return the infinite coefficients, of a level with its rows; the longest text first."""
    levels = Counter(c.column for c in found if c.column)
    many = [column for column, n in levels.items() if n >= MOST_NAMES]
    alone = [c for c in found if c.column not in many and (c.name != "(intercept)" or not many)]
    counted = [words("levels_of", n=f"{levels[name]:,}", name=called(name)) for name in many]
    alone.sort(key=lambda c: not c.column)
    whole = [_one_infinite(c, verdict, words) for c in alone]
    names = [f"{called(c.name)} {c.sign}".removesuffix(" inf") for c in alone]
    texts = []
    for most, items in product(range(MOST_NAMES, 0, -1), (whole, names)):
        shown = [*counted, *items]
        text = _joined(words, shown, most)
        listed = not many and len(shown) <= most
        texts.append(text if listed else words("all_listed", said=text))
    return texts if found else []


def _one_infinite(c: Infinite, verdict: Verdict, words: Words) -> str:
    level = "" if c.column or not c.rows else "=1"  # a column of zeros and ones
    name = f"{called(c.name)}{level} {c.sign}".removesuffix(" inf")
    if not c.rows:
        return name
    rows, table = words.count(c.rows, "row"), verdict.table
    if c.yes in (0, c.rows):
        label = table.yes if c.yes else table.no
        return words("level", name=name, counts=words("all_one", rows=rows, label=called(label)))
    counts = words("both", rows=rows, n=f"{c.yes:,}", yes=called(table.yes))
    return words("level", name=name, counts=counts)


def remedies(verdict: Verdict) -> list[str]:
    """Return the options of `learn` that make a few infinite coefficients finite."""
    asked = all(r.name != LOGISTIC.name for r in verdict.results)
    if verdict.separability.verdict != "touching" or asked:
        return []
    rare, drop = _merged_or_dropped(verdict, infinite_of(verdict))
    penalties = [] if verdict.winner.probabilities else ["--penalty 1"]  # else C = 1 is selected
    penalties += [] if verdict.in_blocks else ["--penalty firth"]
    return [option for option in (rare, *penalties, drop) if option]


def _merged_or_dropped(verdict: Verdict, found: Sequence[Infinite]) -> tuple[str, str]:
    """Return the options that merge the levels that diverge, and that drop their columns; or ""."""
    causes = [c for c in found if c.name != "(intercept)"]
    if verdict.separability.verdict == "separable" or not verdict.table.extra:
        return "", ""
    names = list(dict.fromkeys(c.column or c.name for c in causes))
    drop = " ".join(f"--drop {shlex.quote(name)}" for name in names)
    few = verdict.encoding.monomials is None and 0 < len(names) < MOST_NAMES
    most = max((c.rows for c in causes), default=0)
    levels = bool(causes) and all(c.column for c in causes)
    rare = (
        levels
        and 0 < most < RARE * verdict.table.n_rows
        and all(
            np.count_nonzero(np.bincount(column.codes[~column.missing]) <= most) > 1
            for column in verdict.table.columns  # one rare level alone stays what it is
            if isinstance(column, CategoryColumn) and column.name in names
        )
    )
    return (
        f"--group-rare {most + 1}" if rare else "",
        drop if few and len(drop) <= WIDTH // 2 and drop.isprintable() else "",
    )


def _remedies(verdict: Verdict, found: Sequence[Infinite], words: Words) -> list[str]:
    """Return what to do, with the options to copy; the longest text first."""
    causes = [c for c in found if c.name != "(intercept)"]
    levels = bool(causes) and all(c.column for c in causes)
    kind = "penalty"
    if verdict.separability.verdict != "separable":
        kind = ("merge" if levels else "drop") + ("_one" if len(causes) == 1 else "")
    options = _merged_or_dropped(verdict, found)
    rare, drop = (words("option", option=option) if option else "" for option in options)
    ways = _ways(verdict, words)
    said = [words(kind, infer=way, rare=rare, drop=drop) for way in ways]
    brief = ways[-1]
    if levels:
        said.append(words("merge_brief", rare=rare, drop=drop, infer=brief))
    return [*said, words(kind, infer=brief, rare="", drop="")]


def _ways(verdict: AnyVerdict, words: Words) -> list[str]:
    """Return how to go on without an optimum, in full and in brief: a command reads files only."""
    if isinstance(verdict, Verdict) and verdict.in_blocks:  # Firth's penalty is of arrays
        return [words("infer_in_blocks")] * 2
    way = "infer" if table_of(verdict).sha256 else "in_python"
    return [words(way), words(f"{way}_brief")]


def _fits(verdict: MulticlassVerdict, words: Words) -> list[str]:
    found = [(name, q.separability.verdict) for name, q in _questions(verdict, words)]
    yes = [name for name, kind in found if kind == "overlapping"]
    no = [name for name, kind in found if kind in ("separable", "touching")]
    if not no:
        return [words("exists" if len(yes) == len(found) else "fit_open")]
    remedies = [words("penalty", infer=way) for way in _ways(verdict, words)]
    for_some = words("no_fit_for", no=_joined(words, no))
    for_yes = [words("fit_for", yes=_joined(words, yes))] if yes else []
    said = [
        words("semicolon").join([for_some, *for_yes]),
        for_some,
        words("no_fit_count", n=len(no), all=len(found)),
    ]
    return [words("then", said=some, remedy=remedy) for some in said for remedy in remedies]


def _mistakes(verdict: AnyVerdict, words: Words) -> str:
    best, table, here = verdict.winner, table_of(verdict), mistakes_in_words(verdict, words)
    if isinstance(verdict, MulticlassVerdict):
        wrong = verdict.winner.confusion - np.diag(np.diag(verdict.winner.confusion))
        if not wrong.any():
            return here
        i, j = (int(k) for k in np.unravel_index(int(wrong.argmax()), wrong.shape))
        label, answer = (called(verdict.table.names[k]) for k in (i, j))
        return words("confused", here=here, label=label, answer=answer, n=f"{int(wrong[i, j]):,}")
    if verdict.separability.separable:
        return here if best.n_errors == 0 else words("some_makes_none", here=here)
    found = verdict.fewest_mistakes
    lower, upper = amount(found.exact_lower), amount(found.exact_upper)
    unchecked = "searched" if verdict.in_blocks else "unchecked"
    proven = words("proven" if verdict.fewest_checked else unchecked)
    if not found.proven:
        return words("at_least", here=here, lower=lower, upper=upper, proven=proven)
    if table.weight is None and found.exact_upper == best.n_errors:
        return words("none_fewer", here=here, proven=proven)
    return words("fewest", here=here, upper=upper, proven=proven)


def _weights(verdict: AnyVerdict, words: Words) -> list[str]:
    """Return the weights that move the score most: those times their column's deviation."""
    best = verdict.winner
    if isinstance(best, JointResult):
        d = len(verdict.features) + 1
        return [words("many_lines", lines=len(best.learners), n=f"{d:,}")]
    weights = best.weights[1:]
    if not weights.any():
        return [words("constant")]
    question = questions_of(verdict)[0]
    sample, signs = question.question.sample, infinite_weights(question)
    order = strongest_first(verdict.encoding, weights, sample.X, sample.weight)
    shown = [(k, part) for k, part in order.items() if part][:MOST_WEIGHTS]
    items = [_moving(question, k, part, signs, words) for k, part in shown]
    texts = []
    for most in range(len(items), 0, -1):
        n = len(order) - most
        more = words("n_more", n=f"{n:,}") if n else ""
        texts.append(words("strongest", items=words("comma").join(items[:most]), more=more))
    return texts


def _moving(
    question: Verdict, column: int, part: list[int], signs: Mapping[int, str], words: Words
) -> str:
    """Return the weight of a column, or the smallest and the largest of its levels."""
    weights = question.winner.weights[1:]
    shown = {j: signs.get(j + 1, f"{weights[j]:+.3g}") for j in part}
    if len(part) == 1:
        return f"{called(question.features[part[0]])} {shown[part[0]]}"
    ends = {"+inf": np.inf, "-inf": -np.inf}
    sizes = {j: ends.get(signs.get(j + 1, ""), weights[j]) for j in part}
    lower, upper = (shown[limit(part, key=sizes.__getitem__)] for limit in (min, max))
    name = called(question.encoding.columns[column].name)
    return words("levels_from_to", name=name, lower=lower, upper=upper)


def _warnings(verdict: AnyVerdict, words: Words) -> list[str]:
    """Return how many warnings there are and the first of them; the fit has a line of its own."""
    found = dict.fromkeys(f for question in questions_of(verdict) for f in question.warnings)
    if not found:
        return [words("none")]
    names: dict[str, list[str]] = {}
    for finding in found:
        names.setdefault(finding.kind, []).extend(called(name) for name in finding.names)
    texts = []
    for most in range(MOST_NAMES, 0, -1):
        said = [
            words(f"warn_{kind}", fit=words("fit"), items=_joined(words, of, most))
            for kind, of in names.items()
        ]
        texts.append(words("counted", n=len(found), items=words("semicolon").join(said)))
    kind, of = next(iter(names.items()))
    brief = f"brief_{kind}" if f"brief_{kind}" in words.phrases else f"warn_{kind}"
    first = words(brief, fit=words("fit"), items=_joined(words, of, 1))
    if len(names) > 1:
        first = words("semicolon").join([first, words("more_in_full")])
    last = words("counted", n=len(found), items=words("more_in_full"))
    return [*texts, words("counted", n=len(found), items=first), last]
