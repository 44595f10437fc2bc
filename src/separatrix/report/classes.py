"""The verdict on many labels in the reader's order: the joint answer first, then every question."""

from __future__ import annotations

from collections.abc import Sequence

from separatrix.data import Floats
from separatrix.report.fewest import FEWEST_IN_SHORT, bracket_in_short
from separatrix.report.sections import (
    MOST_COLUMNS,
    MOST_LINES,
    Section,
    columns_in_words,
    joined,
    optimism_in_words,
    percent,
    plain,
    seconds,
    sentence,
    separability_in_words,
    with_spread,
)
from separatrix.tables.wording import counted
from separatrix.verdict import JointResult, MulticlassVerdict, Verdict

MOST_SHOWN = 12  # labels in a confusion table, questions told one by one
MOST_SIDE_BY_SIDE = 6  # lines, as columns of one table

QUESTIONS = {"ova": "each label against the rest", "ovo": "each label against each other"}
RULE_IN_WORDS = {
    "ova": "The answer is the label whose line gives the greatest score, of equals the first "
    "(scikit-learn's OneVsRestClassifier). Scores of different lines have no common unit.",
    "ovo": "Every line votes for one of its two labels; the most votes are the answer, of equals "
    "the greatest sum of scores (scikit-learn's OneVsOneClassifier).",
}
FOUND = (
    ("separable", "Linearly separable, proven"),
    ("touching", "Not linearly separable, proven (rows on the line itself)"),
    ("overlapping", "Not linearly separable, proven"),
    ("undecided", "Undecided"),
)


def class_sections(verdict: MulticlassVerdict) -> list[Section]:
    """Return the whole verdict, in the reader's order."""
    parts = [_answer(verdict)]
    beware = warnings_of(verdict)
    if beware:
        parts.append(Section("Beware", tuple(sentence(w) for w in beware)))
    parts.append(_learners(verdict))
    if len(verdict.classes) <= MOST_SHOWN:
        parts += _confusions(verdict)
    parts += [_questions(verdict), *_left_out(verdict), _lines(verdict), _data(verdict)]
    return parts


def question_in_words(rule: str, question: Verdict) -> str:
    """Return "setosa or not", or "setosa or virginica"."""
    if rule == "ova":
        return f"{plain(question.table.yes, 30)} or not"
    return f"{plain(question.table.no, 30)} or {plain(question.table.yes, 30)}"


def warnings_of(verdict: MulticlassVerdict) -> list[str]:
    """Return the warnings of all questions, once each, with the questions that have them."""
    askers: dict[str, list[str]] = {}
    for question in verdict.questions:
        for warning in question.warnings:
            askers.setdefault(warning, []).append(question_in_words(verdict.rule, question))
    return [
        warning
        if len(found) == len(verdict.questions)
        else f"{joined([repr(name) for name in found], 3)}: {warning}"
        for warning, found in askers.items()
    ]


# ---------------------------------------------------------------------- the joint answer


def _answer(verdict: MulticlassVerdict) -> Section:
    best, base = verdict.winner, verdict.table.base
    n = base.y.size
    weighed = "" if base.weight is None else f", {percent(best.e_in)} by weight"
    sentences = [
        f"{counted(len(verdict.classes), 'label')} in column {plain(base.label)}, asked as "
        f"{counted(len(verdict.questions), 'yes / no question')}: {QUESTIONS[verdict.rule]}.",
        *_separable(verdict),
        f"The answer to take: {plain(best.name)}. On these rows it makes "
        f"{_mistakes(best)} in {n:,}{weighed}.",
    ]
    if best.cv_error is None:
        sentences.append("It could not be cross-validated; see the notes.")
    else:
        sentences.append(
            f"On rows left out it errs {with_spread(best)} (mean and standard deviation over "
            f"{counted(verdict.n_folds, 'fold')}). {_against_the_others(verdict)} "
            f"{optimism_in_words(verdict.optimism, len(verdict.results))}"
        )
    return Section("The answer", tuple(sentences))


def _separable(verdict: MulticlassVerdict) -> list[str]:
    """Return which questions a line answers, each finding once."""
    sentences = []
    for finding, words in FOUND:
        asked = [
            question_in_words(verdict.rule, q)
            for q in verdict.questions
            if q.separability.verdict == finding
        ]
        if asked:
            sentences.append(f"{words}: {joined(asked)}.")
    return sentences


def _against_the_others(verdict: MulticlassVerdict) -> str:
    best, always = verdict.winner, verdict.commonest
    if best is always:
        return "No lines did better on rows left out than the same answer for everybody."
    text = f"{_capital(plain(always.name))} errs {percent(always.cv_error)}."
    reach = (best.cv_error or 0.0) + (best.cv_spread or 0.0)
    rivals = [r.name for r in verdict.results if r is not best and (r.cv_error or 0.0) <= reach]
    return f"{text} Within its spread: {joined([plain(r) for r in rivals])}." if rivals else text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _mistakes(r: JointResult) -> str:
    return "no mistake" if r.n_errors == 0 else counted(r.n_errors, "mistake")


def _learners(verdict: MulticlassVerdict) -> Section:
    weighed = verdict.table.base.weight is not None
    return Section(
        "The learners side by side, their lines joined",
        (),
        ("learner", "mistakes", "by weight" if weighed else "E_in", "on rows left out", "time"),
        tuple(_row(verdict, r) for r in verdict.results),
        (
            "* the answer to take: the least error on rows left out; of equals the least E_in, "
            "then the first. E_in is the share of rows whose answer is not their label; rows left "
            "out are those of each fold of a stratified cross-validation, the same for every "
            "question.",
            RULE_IN_WORDS[verdict.rule],
            verdict.questions[0].scaling,
        ),
    )


def _row(verdict: MulticlassVerdict, r: JointResult) -> tuple[str, ...]:
    return (
        plain(r.name, 40) + (" *" if r is verdict.winner else ""), f"{r.n_errors:,}",
        percent(r.e_in), with_spread(r), seconds(r.seconds),
    )  # fmt: skip


def _confusions(verdict: MulticlassVerdict) -> list[Section]:
    best = verdict.winner
    names = [plain(name, 20) for name in verdict.table.names]
    tables = [("on rows left out", best.confusion_left_out), ("on these rows", best.confusion)]
    return [
        Section(
            f"Which label is answered how ({plain(best.name)}), {where}",
            (),
            ("rows of", *(f"as {name}" for name in names)),
            tuple(
                (name, *(f"{count:,}" for count in counts))
                for name, counts in zip(names, table, strict=True)
            ),
        )
        for where, table in tables
        if table is not None
    ]


# ---------------------------------------------------------------------- the questions


def _questions(verdict: MulticlassVerdict) -> Section:
    lines = _names_of_lines(verdict)
    rows = []
    for question in verdict.questions:
        cells = [f"{r.n_errors:,} ({percent(r.e_in)})" for r in question.lines]
        rows.append((
            question_in_words(verdict.rule, question), f"{question.n_yes:,}",
            _short_finding(question), bracket_in_short(question), *cells,
        ))  # fmt: skip
    told = [
        f"{question_in_words(verdict.rule, q)}: {separability_in_words(q)}"
        for q in verdict.questions[:MOST_SHOWN]
    ]
    more = len(verdict.questions) - len(told)
    return Section(
        "The questions one by one: mistakes on these rows (E_in)",
        (),
        ("question", "rows yes", "separable", "fewest", *lines),
        tuple(rows),
        (FEWEST_IN_SHORT, *told, *([f"{more} more with --json."] if more else [])),
    )


def _left_out(verdict: MulticlassVerdict) -> list[Section]:
    if not verdict.n_folds:
        return []
    rows = [
        (question_in_words(verdict.rule, q), *(with_spread(r) for r in q.lines))
        for q in verdict.questions
    ]
    header = ("question", *_names_of_lines(verdict))
    return [Section("The questions one by one: errors on rows left out", (), header, tuple(rows))]


def _names_of_lines(verdict: MulticlassVerdict) -> list[str]:
    """Return the names of the learners but always yes and always no."""
    return [r.name for r in verdict.questions[0].lines]


def _short_finding(question: Verdict) -> str:
    found = question.separability.separable
    return "undecided" if found is None else ("yes" if found else "no")


def _lines(verdict: MulticlassVerdict) -> Section:
    best = verdict.winner
    title = f"The lines ({plain(best.name)}), in the units of the table"
    if len(verdict.questions) > MOST_SIDE_BY_SIDE:
        return Section(title, (f"{len(verdict.questions)} lines, in full with --json.",))
    weights = [_weights(learner.intercept_, learner.coef_) for learner in best.learners]
    names = ["(constant)", *(plain(name) for name in verdict.features)]
    rows = [
        (*(f"{w[j]:+.6g}" for w in weights), name)
        for j, name in enumerate(names[: MOST_COLUMNS + 1])
    ]
    rest = len(names) - len(rows)
    return Section(
        title,
        ("The score of a row is the constant and the sum of weight x column.",),
        (*(question_in_words(verdict.rule, q) for q in verdict.questions), "column"),
        tuple(rows),
        (f"{rest} more in --json.",) if rest else (),
    )


def _weights(intercept: Floats, coef: Floats) -> Sequence[float]:
    return [float(intercept[0]), *map(float, coef[0])]


def _data(verdict: MulticlassVerdict) -> Section:
    table = verdict.table.base
    dropped = f" ({table.n_dropped:,} dropped for missing values)" if table.n_dropped else ""
    pairs = zip(verdict.table.names, verdict.table.counts.tolist(), strict=True)
    labels = [f"{plain(name, 30)} ({counted(count, 'row')})" for name, count in pairs]
    return Section(
        "The data",
        (
            f"{plain(table.name)}: {counted(table.y.size, 'row')} used of "
            f"{table.n_rows_in_file:,}{dropped}, {counted(len(table.columns), 'column')} as "
            f"{counted(len(verdict.features), 'feature')}.",
            f"The labels of {plain(table.label)}: {joined(labels, 3 * MOST_LINES)}.",
            *columns_in_words(table, verdict.encoding),
            *(plain(note, 600) for note in verdict.notes),
        ),
    )
