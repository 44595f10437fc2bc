"""The first screen: the answer in at most 15 lines of 80 columns."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from separatrix.model import strongest_first
from separatrix.report.findings import (
    MOST_NAMES,
    AnyVerdict,
    called,
    fit_texts,
    guessing,
    infinite_weights,
    mistakes_in_words,
    model_in_words,
    per_cent,
    questions_of,
    ranking_in_short,
    ranking_of,
    separable_texts,
    table_of,
)
from separatrix.report.wording import beside, folded, plain, width
from separatrix.report.words import Words, words_of
from separatrix.verdict import JointResult, MulticlassVerdict, Verdict

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
MOST_WEIGHTS = 5


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
    rare = ranking_in_short(verdict, words)
    return [
        Line.of("table", *_table(verdict, words)),
        *([Line.of("ranking", rare)] if rare else []),
        Line("separable", separable_texts(verdict, words)),
        Line.of("fit", *fit_texts(verdict, words)),
        Line.of("model", *model_in_words(verdict, words)),
        Line.of("mistakes", mistakes_in_words(verdict, words)),
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
            words("share_rest", said=said, rest=words.listed(rest, most)) if rest else said
            for most in (6, 4, 2)
        ]
    pairs = zip(verdict.table.names, verdict.table.counts.tolist(), strict=True)
    alike = "{} {}" if all(map(_is_word, verdict.table.names)) else "{} ({})"
    counts = [alike.format(called(name), f"{count:,}") for name, count in pairs]
    return [
        words("labels", label=called(table.label), counts=words.listed(counts, most))
        for most in (6, 4, 2)
    ]


def _is_word(label: str) -> bool:
    return any(map(str.isalpha, label))


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
    if len(signs) > len(weights):
        return [words("none_finite")]
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
    if all(j + 1 in signs for j in part):
        return words("no_finite_level", name=called(question.encoding.columns[column].name))
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
    # of each question other coefficients are infinite, and the line of the fit names them
    n = len({f.kind if f.kind == "no_optimum" else str(f) for f in found})
    texts = []
    for most in range(MOST_NAMES, 0, -1):
        said = [
            words(f"warn_{kind}", fit=words("fit"), items=words.listed(of, most))
            for kind, of in names.items()
        ]
        texts.append(words("counted", n=n, items=words("semicolon").join(said)))
    kind, of = next(iter(names.items()))
    brief = f"brief_{kind}" if f"brief_{kind}" in words.phrases else f"warn_{kind}"
    first = words(brief, fit=words("fit"), items=words.listed(of, 1))
    if len(names) > 1:
        first = words("semicolon").join([first, words("more_in_full")])
    last = words("counted", n=n, items=words("more_in_full"))
    return [*texts, words("counted", n=n, items=first), last]
