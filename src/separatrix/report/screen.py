"""The first screen: the answer in at most 15 lines of 80 columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from separatrix.data import Floats, Points
from separatrix.report.columns import beside, folded, width
from separatrix.report.question import amount, infinite_signs, infinite_weights, passed_over
from separatrix.report.sections import (
    AnyVerdict,
    questions_in_words,
    questions_of,
    table_of,
)
from separatrix.report.wording import plain
from separatrix.report.words import Words, words_of
from separatrix.tables import CategoryEncoding
from separatrix.verdict import JointResult, LearnerResult, MulticlassVerdict, Verdict

WIDTH = 80
MOST_LINES = 15
MOST_OF_A_PART = 3
CAN_WAIT = (  # which parts lose a line first
    "warnings", "weights", "warnings", "table", "weights", "separable", "fit", "mistakes",
)  # fmt: skip
LABELS = (
    "table", "separable", "fit", "model", "mistakes", "weights", "warnings", "written", "next",
)  # fmt: skip
MOST_NAMES = 3
MOST_WEIGHTS = 5
NAME = 24  # characters of a column's or label's name


@dataclass(frozen=True, slots=True)
class Line:
    """One part of the screen: a label, and the paragraphs beside it."""

    label: str
    paragraphs: tuple[str, ...]


def first_screen(verdict: AnyVerdict, lang: str = "en") -> str:
    """Return the answer in at most 15 lines of 80 columns, ending in a newline.

    Raises
    ------
    InputError
        For a language that is not known.
    """
    words = words_of(lang)
    return screen_text(screen_of(verdict, words), words)


def screen_of(verdict: AnyVerdict, words: Words) -> list[Line]:
    """Return the parts of the screen, in the reader's order."""
    if isinstance(verdict, MulticlassVerdict):
        separable, fit = _separable_labels(verdict, words), _fits(verdict, words)
    else:
        separable, fit = _separable(verdict, words), _fit(verdict, words)
    return [
        Line("table", (_table(verdict, words),)),
        Line("separable", (separable,)),
        Line("fit", (fit,)),
        Line("model", (words("semicolon").join(_model(verdict, words)),)),
        Line("mistakes", (_mistakes(verdict, words),)),
        Line("weights", (_weights(verdict, words),)),
        Line("warnings", (_warnings(verdict, words),)),
    ]


def screen_text(parts: Sequence[Line], words: Words) -> str:
    """Return the parts as text, their labels in a column of their own, ending in a newline.

    Where they are too many lines those of the parts that can wait are cut.
    """
    indent = 2 + max(width(words(label)) for label in LABELS)
    room = {part.label: MOST_OF_A_PART for part in parts}
    shown = [_shown(part, room[part.label], indent, words) for part in parts]
    for label in (*CAN_WAIT, *room):
        if sum(map(len, shown)) <= MOST_LINES:
            break
        if label in room:
            room[label] = max(1, room[label] - 1)
            shown = [_shown(part, room[part.label], indent, words) for part in parts]
    return "\n".join(line.rstrip() for lines in shown for line in lines) + "\n"


def _shown(part: Line, room: int, indent: int, words: Words) -> list[str]:
    """Return one part in at most `room` lines, at least one for each paragraph that has room."""
    text: list[str] = []
    for k, paragraph in enumerate(part.paragraphs[:room]):
        left = room - len(text) - (min(len(part.paragraphs), room) - k - 1)
        text += folded(paragraph, WIDTH - indent, left)
    return beside(words(part.label), text, indent)


def next_lines(
    written: Sequence[str] | None,
    commands: Sequence[tuple[str, str]],
    command: str,
    options: Sequence[str],
    words: Words,
) -> list[Line]:
    """Return what was written, and what to type next: whole commands, or what to add.

    `commands` are pairs: the whole command, and what to show where it is too long for a line.
    """
    indent = 2 + max(width(words(label)) for label in LABELS)

    def fitting(whole: str, short: str) -> str:
        return whole if indent + width(whole) <= WIDTH else short

    steps = [fitting(whole, short) for whole, short in commands]
    steps += [fitting(f"{command} {more}", words("same_command", option=more)) for more in options]
    after = [Line("next", tuple(steps[: max(2, len(commands))]))]
    if written is None:
        return after
    files = words("comma").join(os.path.basename(path) for path in written)
    return [Line("written", (files or words("nothing_yet"),)), *after]


def summary(verdict: AnyVerdict, words: Words) -> str:
    """Return the answer in one sentence."""
    if isinstance(verdict, MulticlassVerdict):
        n = sum(q.separability.separable is True for q in verdict.questions)
        found = words("found_labels", n=n, all=len(verdict.questions))
    else:
        found = words(f"found_{verdict.separability.verdict}")
    best = verdict.winner
    model = words.name(plain(best.name))
    if best.cv_error is not None:
        errors = {"error": _percent(best.cv_error), "guess": _percent(_guessing(verdict).cv_error)}
        model = words("summary_cv", name=model, **errors)
    return words("summary", found=found, model=model)


def _percent(share: float | None) -> str:
    """Return a share in per cent with one digit behind the point."""
    return "-" if share is None else f"{100.0 * share:.1f}"


def _name(text: str) -> str:
    return plain(text, NAME)


def _joined(words: Words, items: Sequence[str], most: int = MOST_NAMES) -> str:
    """Return "a, b and 3 more"."""
    shown = words("comma").join(items[:most])
    return words("and_more", items=shown, n=len(items) - most) if len(items) > most else shown


# ---------------------------------------------------------------------- the rows


def _table(verdict: AnyVerdict, words: Words) -> str:
    table = table_of(verdict)
    columns = words.count(len(table.columns), "column")
    if isinstance(verdict, MulticlassVerdict):
        pairs = zip(verdict.table.names, verdict.table.counts.tolist(), strict=True)
        counts = _joined(words, [f"{_name(name)} {count:,}" for name, count in pairs], 6)
        labels = words("labels", label=_name(table.label), counts=counts)
    else:
        share = f"{100.0 * verdict.n_yes / table.y.size:.0f}"
        labels = words("share_yes", yes=_name(table.yes), share=share)
    said = {"name": plain(table.name, 40), "columns": columns, "labels": labels}
    if not table.n_dropped:
        return words("all_rows", rows=words.count(table.y.size, "row"), **said)
    used, rows = f"{table.y.size:,}", f"{table.n_rows_in_file:,}"
    return words("some_rows", used=used, all=rows, dropped=f"{table.n_dropped:,}", **said)


def _separable(verdict: Verdict, words: Words) -> str:
    proof, lines = verdict.separability, verdict.witness_lines
    if proof.verdict == "undecided":
        return words("undecided", reason=proof.reason)
    if proof.verdict == "separable":
        return words("is_separable", rows=words.count(verdict.table.y.size, "row"))
    shown = lines if len(lines) == MOST_NAMES + 1 else lines[:MOST_NAMES]  # never hide only one
    word = "line_lines" if verdict.table.line_word == "line" else "line_rows"
    where = words(word, items=words("comma").join(map(str, shown)))
    if len(lines) == 2:
        found = words("pair", lines=where)
    elif len(shown) == len(lines):
        found = words("few_contradict", lines=where)
    else:
        found = words("contradict", rows=words.count(len(lines), "row"), lines=where)
    return words("touching", found=found) if proof.verdict == "touching" else found


def _separable_labels(verdict: MulticlassVerdict, words: Words) -> str:
    names: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    for name, question in _questions(verdict):
        names[question.separability.separable].append(name)
    parts = {"some_are": "yes", "some_are_not": "no", "some_open": "open"}
    said = [
        words(phrase, **{what: _joined(words, found)})
        for (phrase, what), found in zip(parts.items(), names.values(), strict=True)
        if found
    ]
    return f"{words('semicolon').join(said)} [{words(verdict.rule)}]"


def _questions(verdict: MulticlassVerdict) -> Iterable[tuple[str, Verdict]]:
    """Return each question with its name: of each label against the rest the label."""
    if verdict.rule == "ova":
        return [(_name(q.table.yes), q) for q in verdict.questions]
    return zip(questions_in_words(verdict), verdict.questions, strict=True)


def _fit(verdict: Verdict, words: Words) -> str:
    """Return whether a logistic regression without penalty exists, and else what to do."""
    proof = verdict.separability
    if proof.verdict == "undecided":
        return words("fit_open")
    if proof.verdict == "overlapping":
        return words("exists_collinear" if proof.aliased else "exists")
    found = proof.divergent
    names = ["(intercept)", *verdict.features]
    signs = infinite_signs(verdict)
    shown = [f"{_name(names[j])} {signs[j]}".removesuffix(" inf") for j in found]
    infinite = _joined(words, shown) or words("combination")
    if len(found) == len(names):
        infinite = words("infinite_all", n=len(names))
    indicators = {
        name
        for how in verdict.encoding.columns
        if isinstance(how, CategoryEncoding)
        for name in how.feature_names
    }
    levels = bool(found) and all(names[j] in indicators for j in found)
    remedy = "penalty" if proof.verdict == "separable" else "merge" if levels else "drop"
    if remedy != "penalty" and len([j for j in found if j]) == 1:
        remedy += "_one"
    return _with_remedy(words("no_fit", infinite=infinite), remedy, words)


def _with_remedy(said: str, remedy: str, words: Words) -> str:
    return words("then", said=said, remedy=words(remedy, in_python=words("in_python")))


def _fits(verdict: MulticlassVerdict, words: Words) -> str:
    found = [(name, q.separability.verdict) for name, q in _questions(verdict)]
    yes = [name for name, kind in found if kind == "overlapping"]
    no = [name for name, kind in found if kind in ("separable", "touching")]
    if not no:
        return words("exists" if len(yes) == len(found) else "fit_open")
    said = [words("no_fit_for", no=_joined(words, no))]
    said += [words("fit_for", yes=_joined(words, yes))] if yes else []
    return _with_remedy(words("semicolon").join(said), "penalty", words)


def _guessing(verdict: AnyVerdict) -> LearnerResult | JointResult:
    """Return the result of the best constant answer."""
    if isinstance(verdict, MulticlassVerdict):
        return verdict.commonest
    return min(verdict.constants, key=lambda r: 1.0 if r.cv_error is None else r.cv_error)


def _model(verdict: AnyVerdict, words: Words) -> list[str]:
    """Return the selected model with its error, why it is, and which do not differ clearly."""
    best = verdict.winner
    name, why = words.name(plain(best.name)), words(f"why_{verdict.selection.why}")
    if isinstance(verdict, Verdict) and passed_over(verdict):
        why = words("no_finite", why=why)
    if best.cv_error is None:
        return [words("no_cv", name=name), why]
    error, guess = _percent(best.cv_error), _percent(_guessing(verdict).cv_error)
    if best.constant:
        return [words("no_better", name=name, error=error)]
    said = [words("cv", name=name, error=error, sd=_percent(best.cv_spread), guess=guess), why]
    equals = {
        words("guessing") if r.constant else words.name(plain(r.name)): _percent(r.cv_error)
        for r in verdict.equals
    }
    if equals:
        items = words("comma").join(" ".join(pair) for pair in equals.items())
        said.append(words("no_difference", items=items))
    return said


def _mistakes(verdict: AnyVerdict, words: Words) -> str:
    best, table = verdict.winner, table_of(verdict)
    n, rows = f"{best.n_errors:,}", f"{table.y.size:,}"
    here = words("here", n=n, all=rows)
    if table.weight is not None:
        here = words("weighed", n=n, all=rows, share=_percent(best.e_in))
    if isinstance(verdict, MulticlassVerdict):
        return _confused(verdict, here, words)
    if verdict.separability.separable:
        return here if best.n_errors == 0 else words("some_makes_none", here=here)
    return _beside_the_fewest(verdict, here, words)


def _confused(verdict: MulticlassVerdict, here: str, words: Words) -> str:
    """Return the mistakes of the joint answers, and the commonest of them."""
    wrong = verdict.winner.confusion - np.diag(np.diag(verdict.winner.confusion))
    if not wrong.any():
        return here
    i, j = (int(k) for k in np.unravel_index(int(wrong.argmax()), wrong.shape))
    label, answer = (_name(verdict.table.names[k]) for k in (i, j))
    return words("confused", here=here, label=label, answer=answer, n=f"{int(wrong[i, j]):,}")


def _beside_the_fewest(verdict: Verdict, here: str, words: Words) -> str:
    """Return the mistakes of the model beside the fewest of any line."""
    found, table = verdict.fewest_mistakes, verdict.table
    lower, upper = amount(found.exact_lower), amount(found.exact_upper)
    proven = words("proven" if verdict.fewest_checked else "unchecked")
    if not found.proven:
        return words("at_least", here=here, lower=lower, upper=upper, proven=proven)
    if table.weight is None and found.exact_upper == verdict.winner.n_errors:
        return words("none_fewer", here=here, proven=proven)
    return words("fewest", here=here, upper=upper, proven=proven)


def _weights(verdict: AnyVerdict, words: Words) -> str:
    """Return the weights that move the score most: those times their column's deviation."""
    best = verdict.winner
    if isinstance(best, JointResult):
        d = len(verdict.features) + 1
        return words("many_lines", lines=len(best.learners), n=f"{d:,}")
    weights = best.weights[1:]
    if not weights.any():
        return words("constant")
    moves = np.abs(weights) * _deviations(questions_of(verdict)[0].question.sample.X)
    order = np.argsort(-moves, kind="stable")[:MOST_WEIGHTS].tolist()
    signs = infinite_weights(questions_of(verdict)[0])
    shown = [signs.get(j + 1, f"{weights[j]:+.3g}") for j in order]
    items = [f"{_name(verdict.features[j])} {w}" for j, w in zip(order, shown, strict=True)]
    more = words("n_more", n=f"{weights.size - len(items):,}") if weights.size > len(items) else ""
    return words("strongest", items=words("comma").join(items), more=more)


def _deviations(X: Points) -> Floats:
    """Return the standard deviation of each column (d,) of rows X (N, d), dense or sparse."""
    with np.errstate(over="ignore", invalid="ignore"):  # an order to show weights in, no more
        if isinstance(X, np.ndarray):
            return np.asarray(X.std(axis=0))
        mean = np.asarray(X.mean(axis=0)).ravel()
        squares = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        deviations: Floats = np.sqrt(np.maximum(squares - mean**2, 0.0))
        return deviations


def _warnings(verdict: AnyVerdict, words: Words) -> str:
    """Return how many warnings there are and the first of them; the fit has a line of its own."""
    found = dict.fromkeys(f for question in questions_of(verdict) for f in question.warnings)
    if not found:
        return words("none")
    names: dict[str, list[str]] = {}
    for finding in found:
        names.setdefault(finding.kind, []).extend(_name(name) for name in finding.names)
    fit = words("fit")
    said = [words(f"warn_{kind}", fit=fit, items=_joined(words, of)) for kind, of in names.items()]
    return words("counted", n=len(found), items=words("semicolon").join(said))
