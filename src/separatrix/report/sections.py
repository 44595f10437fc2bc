"""A verdict in the reader's order, as plain sentences and tables: what every report shows.

A verdict is a list of yes / no questions: one of two labels; of more labels several, and the
answers that their lines give together.
"""

from __future__ import annotations

from collections.abc import Sequence

from separatrix.model import STRONGEST_FIRST, strongest_first
from separatrix.report.findings import (
    AnyVerdict,
    fewest_in_short,
    fewest_in_words,
    infinite_weights,
    model_in_words,
    named_questions,
    no_of,
    questions_of,
    rare_in_words,
    separability_in_words,
    separable_in_short,
    separable_texts,
    table_of,
)
from separatrix.report.question import (
    coefficient_section,
    course_section,
    finite_section,
    outside_section,
    probabilities_section,
)
from separatrix.report.screen import summary
from separatrix.report.wording import (
    MOST_COLUMNS,
    MOST_LINES,
    WIDTH,
    Section,
    joined,
    percent,
    plain,
    seconds,
    section_text,
    sentence,
    with_spread,
)
from separatrix.report.words import SPOKEN, Words, again, counted, say, speaking, words_of
from separatrix.said import Own, Said
from separatrix.tables import CategoryEncoding, Encoding
from separatrix.verdict import JointResult, LearnerResult, MulticlassVerdict

MOST_SHOWN = 12  # labels in a confusion table, questions told one by one
MOST_SIDE_BY_SIDE = 6  # lines, as columns of one table

RULE_IN_WORDS = {
    "ova": "The answer is the label whose line gives the greatest score, the first of equal scores "
    "(scikit-learn's OneVsRestClassifier). Scores of different lines have no common unit.",
    "ovo": "Every line votes for one of its two labels; the most votes are the answer, among "
    "equal ones the greatest sum of scores (scikit-learn's OneVsOneClassifier).",
}
FEWEST_IN_SHORT = (
    "fewest: of the mistakes (by weight) that any line makes on these rows: a lower bound and the "
    "best line found, or one number where they meet."
)


def to_text(verdict: AnyVerdict, *, lang: str = "en") -> str:
    """Return all that was found as plain text, the answer in its first and in its last line.

    `str(verdict)` is the answer in at most 15 lines. `lang` is "en" or "zh-Hant".

    Raises
    ------
    InputError
        For another language.
    """
    with speaking(words := words_of(lang)):
        return full_text([*sections(verdict).values()], summary(verdict, words), words)


def full_text(parts: Sequence[Section], answer: str, words: Words, columns: int = WIDTH) -> str:
    """Return sections between two lines of the answer, ending in a newline."""
    told = (section_text(part, words, columns) for part in parts)
    return "\n".join([f"{answer}\n", *told, f"{answer}\n"])


def sections(verdict: AnyVerdict) -> dict[str, Section]:
    """Return the whole verdict, in the reader's order."""
    parts: dict[str, Section | None] = {
        "result": answer_section(verdict),
        "beware": warnings_section(verdict),
        "learners": learners_section(verdict),
    }
    if isinstance(verdict, MulticlassVerdict):
        parts |= _confusions(verdict)
        parts |= {"questions": _questions(verdict), "left_out": _left_out(verdict)}
    parts["weights"] = _lines(verdict)
    if not isinstance(verdict, MulticlassVerdict):
        parts |= {
            "finite": finite_section(verdict),
            "inference": coefficient_section(verdict),
            "course": course_section(verdict),
            "probabilities": probabilities_section(verdict),
            "outside": outside_section(verdict),
        }
    parts["data"] = data_section(verdict)
    return {name: part for name, part in parts.items() if part is not None}


def questions_in_words(verdict: AnyVerdict) -> list[str]:
    """Return the names of the questions; "" of a verdict that is one."""
    if not isinstance(verdict, MulticlassVerdict):
        return [""]
    return [name for name, _ in named_questions(verdict, SPOKEN.get())]


# ---------------------------------------------------------------------- the answer


def answer_section(verdict: AnyVerdict) -> Section:
    """Return what came out, in sentences."""
    if isinstance(verdict, MulticlassVerdict):
        found = [
            say(
                "{labels} in column {name}, asked as {questions}.",
                labels=counted(len(verdict.classes), "label"),
                name=plain(verdict.table.base.label),
                questions=counted(len(verdict.questions), "yes / no question"),
            ),
            say("Separable: {found}.", found=separable_texts(verdict, SPOKEN.get())[0][0]),
        ]
    else:
        found = [*rare_in_words(verdict), separability_in_words(verdict)]
    return Section("Result", (*found, *winner_in_words(verdict)))


def winner_in_words(verdict: AnyVerdict) -> list[str]:
    """Return which learner to take and why, its mistakes here, and what its selection flatters."""
    return [
        say("Selected model: {said}.", said=model_in_words(verdict, SPOKEN.get())[0]),
        f"{fewest_in_words(verdict)} {_optimism(verdict)}".rstrip(),
        *_no_mistakes_elsewhere(verdict),
    ]


def _optimism(verdict: AnyVerdict) -> str:
    """Return by how much choosing the best of the learners flatters it."""
    if verdict.optimism is None:
        return ""
    by, n_learners = 100 * verdict.optimism, len(verdict.results)
    if by < 0.005:
        return say("Selection bias of the lowest error of {n}: negligible.", n=n_learners)
    return say(
        "Selection bias of the lowest error of {n}: about {by:.2f} percentage points too good "
        "(Tibshirani & Tibshirani 2009).",
        n=n_learners, by=by,
    )  # fmt: skip


def _no_mistakes_elsewhere(verdict: AnyVerdict) -> list[str]:
    """Return why a line without mistakes was not taken, where there is one."""
    if isinstance(verdict, MulticlassVerdict) or not verdict.winner.n_errors:
        return []
    if not verdict.separability.separable:
        return []
    clean = [r for r in verdict.results if r.n_errors == 0]
    if not clean:
        return [
            say("Lines without any mistake on these rows exist, as proven; no learner found one.")
        ]
    errs = joined([f"{SPOKEN.get().name(r.name)} {percent(r.cv_error)}" for r in clean])
    return [say("Lines without any mistake on these rows, cross-validated: {errors}.", errors=errs)]


def warnings_section(verdict: AnyVerdict) -> Section | None:
    """Return what to know about the columns before believing any line; None where it is nothing."""
    found = warnings_of(verdict)
    return Section("Warnings", tuple(sentence(w) for w in found)) if found else None


def warnings_of(verdict: AnyVerdict) -> list[str]:
    """Return the warnings of all questions, once each, with the questions that have them."""
    names = questions_in_words(verdict)
    askers: dict[str, list[str]] = {}
    for name, question in zip(names, questions_of(verdict), strict=True):
        for warning in dict.fromkeys(question.warnings):
            askers.setdefault(warning, []).append(name)
    return [
        warning
        if len(found) == len(names)
        else Said("{names}: {said}", names=joined([*map(repr, found)], 3), said=warning)
        for warning, found in askers.items()
    ]


# ---------------------------------------------------------------------- the learners


def learners_section(verdict: AnyVerdict) -> Section:
    """Return every learner's mistakes, its cross-validated error, its time and its updates."""
    share, same = "mistakes on these rows, a zero score counted as one", ""
    several = isinstance(verdict, MulticlassVerdict)
    if isinstance(verdict, MulticlassVerdict):
        share = "rows whose answer is not their label"
        same, how = say(", the same for every question"), say(RULE_IN_WORDS[verdict.rule])
    else:
        words = SPOKEN.get()
        why = words("semicolon").join(f"{words.name(r.name)}: {_why(r)}" for r in verdict.lines)
        how = say("Why each stopped: {why}.", why=why)
    error = "E_in" if table_of(verdict).weight is None else "by weight"
    both = () if several else ("wrong yes", "wrong no")
    header = ("learner", "mistakes", *both, error, "cross-validated", "time")
    return Section(
        "Models compared",
        (),
        header if several else (*header, "updates"),
        tuple(_row(verdict, r) for r in verdict.results),
        (
            say(
                "* selected: of those within one standard error of the lowest cross-validated "
                "error the one that gives probabilities, then the simpler one. No clear "
                "difference: the mean difference over the folds is at most two of its standard "
                "errors. E_in is the share of {share}; {folds}, stratified{same}.",
                share=say(share),
                folds=counted(verdict.n_folds, "fold"),
                same=same,
            ),
            how,
            again(questions_of(verdict)[0].scaling),
        ),
    )


def _why(r: LearnerResult) -> str:
    """Return the reason for stopping; a budget is set by the size of the table."""
    if "budget" in r.stopped and r.n_updates is not None:
        return say("stopped at its limit ({updates})", updates=counted(r.n_updates, "update"))
    return say(r.stopped.replace(";", ","))


def _row(verdict: AnyVerdict, r: LearnerResult | JointResult) -> tuple[str, ...]:
    name = plain(r.name, 40) + (" *" if r is verdict.winner else "")
    figures = percent(r.e_in), with_spread(r), seconds(r.seconds)
    if isinstance(r, JointResult):
        return name, f"{r.n_errors:,}", *figures
    counts = (f"{n:,}" for n in (r.n_errors, r.n_wrong_yes, r.n_wrong_no))
    return name, *counts, *figures, "-" if r.n_updates is None else f"{r.n_updates:,}"


# ---------------------------------------------------------------------- several questions


def _confusions(verdict: MulticlassVerdict) -> dict[str, Section]:
    best = verdict.winner
    names = [plain(name, 20) for name in verdict.table.names]
    tables = [("cross-validated", best.confusion_left_out), ("training rows", best.confusion)]
    return {
        where: Section(
            f"Confusion matrix, {where} ({plain(best.name)})",
            (),
            ("rows of", *(Own(say("as {name}", name=name)) for name in names)),
            tuple(
                (name, *(f"{count:,}" for count in counts))
                for name, counts in zip(names, table, strict=True)
            ),
        )
        for where, table in tables
        if table is not None and len(names) <= MOST_SHOWN
    }


def _questions(verdict: MulticlassVerdict) -> Section:
    named = list(zip(questions_in_words(verdict), verdict.questions, strict=True))
    words = SPOKEN.get()
    rows = [
        (
            name, f"{q.n_yes:,}", separable_in_short(q, words), fewest_in_short(q, words),
            *(f"{r.n_errors:,} ({percent(r.e_in)})" for r in q.lines),
        )
        for name, q in named
    ]  # fmt: skip
    told = [
        say("{name}: {said}", name=name, said=separability_in_words(q))
        for name, q in named[:MOST_SHOWN]
    ]
    more = len(named) - len(told)
    return Section(
        "Questions one by one: training mistakes (E_in)",
        (),
        ("question", "rows yes", "separable", "fewest", *_names_of_lines(verdict)),
        tuple(rows),
        (say(FEWEST_IN_SHORT), *told, *([say("{n:,} more in --json.", n=more)] if more else [])),
    )


def _left_out(verdict: MulticlassVerdict) -> Section | None:
    if not verdict.n_folds:
        return None
    named = zip(questions_in_words(verdict), verdict.questions, strict=True)
    rows = tuple((name, *map(with_spread, q.lines)) for name, q in named)
    header = ("question", *_names_of_lines(verdict))
    return Section("Questions one by one: cross-validated errors", (), header, rows)


def _names_of_lines(verdict: MulticlassVerdict) -> list[str]:
    """Return the names of the learners but always yes and always no."""
    return [r.name for r in verdict.questions[0].lines]


# ---------------------------------------------------------------------- the lines, the data


def _lines(verdict: AnyVerdict) -> Section:
    """Return the weights of each line: of one its threshold in words, of several as constants."""
    best, signs, d = verdict.winner, dict[int, str](), len(verdict.features)
    if isinstance(best, JointResult):
        title = f"Weights ({plain(best.name)})"
        if len(best.learners) > MOST_SIDE_BY_SIDE:
            return Section(title, (say("{n} lines, in full with --json.", n=len(best.learners)),))
        weights = [[*line.intercept_, *line.coef_[0]] for line in best.learners]
        names = (say("(constant)"), *verdict.features)
        header: list[str] = [*map(Own, questions_in_words(verdict))]
        said: tuple[str, ...] = (
            say(
                "The score of a row is the constant and the sum of weight x column, in the units "
                "of the table."
            ),
        )
        order = list(range(min(d, MOST_COLUMNS) + 1))
    else:
        table, (question,) = table_of(verdict), questions_of(verdict)
        title = f"Weights ({best.name})"
        weights, names, header = [list(best.weights[1:])], verdict.features, ["weight"]
        signs = infinite_weights(question)
        if signs:
            header = ["estimate", "weight used"]
        said = (
            say(
                "{label} = {yes} where the sum of weight x column exceeds the threshold "
                "{threshold:.6g}; otherwise {no}.",
                label=plain(table.label),
                yes=plain(table.yes),
                threshold=-best.weights[0],
                no=plain(no_of(table)),
            ),
            say(STRONGEST_FIRST),
        )
        rows_of = question.question.sample
        found = strongest_first(verdict.encoding, best.weights[1:], rows_of.X, rows_of.weight)
        order = [j for part in found.values() for j in part][:MOST_COLUMNS]
    rows = [
        (
            plain(names[j]),
            *((signs.get(j + 1, f"{weights[0][j]:+.6g}"),) if signs else ()),
            *(f"{w[j]:+.6g}" for w in weights),
        )
        for j in order
    ]
    rest = len(names) - len(rows)
    more = (say("{n:,} more in --json.", n=rest),) if rest else ()
    return Section(title, said, ("column", *header), tuple(rows), more)


def data_section(verdict: AnyVerdict) -> Section:
    """Return what was read, which rows take part and how columns became features."""
    table = table_of(verdict)
    n = table.n_rows
    dropped = ""
    if table.n_dropped:
        dropped = say(" ({n:,} dropped for missing values)", n=table.n_dropped)
    if isinstance(verdict, MulticlassVerdict):
        pairs = zip(verdict.table.names, verdict.table.counts.tolist(), strict=True)
        labels = [f"{plain(name, 30)} ({counted(count, 'row')})" for name, count in pairs]
        said = say(
            "The labels of {name}: {labels}.",
            name=plain(table.label), labels=joined(labels, 3 * MOST_LINES),
        )  # fmt: skip
    else:
        no = joined([plain(name, 30) for name in table.rest or (table.no,)], MOST_LINES)
        said = say(
            "Yes is {label} = {yes}: {n_yes}; no is {no}: {n_no}.",
            label=plain(table.label), yes=plain(table.yes), n_yes=counted(verdict.n_yes, "row"),
            no=no, n_no=counted(n - verdict.n_yes, "row"),
        )  # fmt: skip
    return Section(
        "Data",
        (
            say(
                "{name}: {rows} used of {all:,}{dropped}, {columns} as {features}.",
                name=plain(table.name),
                rows=counted(n, "row"),
                all=table.n_rows_in_file,
                dropped=dropped,
                columns=counted(len(table.columns), "column"),
                features=counted(len(verdict.features), "feature"),
            ),
            said,
            *_columns_in_words(verdict.encoding),
            *(plain(again(note), 600) for note in verdict.notes if note),
        ),
    )


def _columns_in_words(encoding: Encoding) -> list[str]:
    """Return how columns became features, where they are not just themselves."""
    sentences = []
    if categories := [c for c in encoding.columns if isinstance(c, CategoryEncoding)]:
        levels = "; ".join(_levels(c) for c in categories[:MOST_COLUMNS])
        sentences.append(
            say(
                "One-hot columns (the commonest level, in brackets, is the baseline): {levels}.",
                levels=levels,
            )
        )
    if encoding.monomials is not None:
        sentences.append(
            say(
                "Features are products of up to {degree} columns (a b is a times b, a^2 is a times "
                "a), without those that are constant or equal to another on these rows.",
                degree=encoding.monomials.degree,
            )
        )
    return sentences


def _levels(column: CategoryEncoding) -> str:
    first, *others = (plain(level, 20) for level in column.levels)
    shown = ", ".join(others[:MOST_LINES]) + ("…" if len(others) > MOST_LINES else "")
    return f"{plain(column.name, 30)} = ({first}) {shown}".rstrip()
