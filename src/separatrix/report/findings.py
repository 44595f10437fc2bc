"""What came out, each finding once: the first screen, the report and JSON say it in these words.

Separability, the fit of logistic regression, the selected model, its mistakes and the fewest of any
line, and how a rare answer is ranked. Several texts of one finding begin with the longest.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from separatrix.report.wording import bound_in_words, capital, plain
from separatrix.report.words import ENGLISH_WORDS, SPOKEN, Words, counted, say
from separatrix.tables import CategoryColumn, CategoryEncoding, Encoding, Table
from separatrix.verdict import JointResult, LearnerResult, MulticlassVerdict, Verdict
from separatrix.verdict.candidates import LOGISTIC, PLA, is_logistic
from separatrix.verdict.findings import MOST
from separatrix.verdict.selection import BY_HAND, Rare
from separatrix.zero_one.minimum_errors import NOT_COMPARED

NAME = 24  # characters of a column's or label's name
MOST_NAMES = 3
MOST_LINES = 12  # of a witness, in a report
RARE = 0.1  # of the rows: levels rarer than that are offered to --group-rare
LONGEST_OPTION = 40
WAYS = {1: "+inf", -1: "-inf", 0: "±inf"}
MEANING = {
    "separable": " Every sign was checked in exact arithmetic on the doubles that the numbers were "
    "read as.",
    "contradict": " A weighted average of the yes rows among them equals one of the no rows "
    "(checked in exact arithmetic), so every line gets at least one of them wrong.",
}
GROWING = "does not exist: the likelihood keeps rising as the coefficients below grow"

AnyVerdict = Verdict | MulticlassVerdict


def questions_of(verdict: AnyVerdict) -> tuple[Verdict, ...]:
    return verdict.questions if isinstance(verdict, MulticlassVerdict) else (verdict,)


def table_of(verdict: AnyVerdict) -> Table:
    """Return the table whose rows a verdict is about."""
    return verdict.table.base if isinstance(verdict, MulticlassVerdict) else verdict.table


def guessing(verdict: AnyVerdict) -> LearnerResult | JointResult:
    """Return the result of the best constant answer."""
    if isinstance(verdict, MulticlassVerdict):
        return verdict.commonest
    return min(verdict.constants, key=lambda r: 1.0 if r.cv_error is None else r.cv_error)


def n_without_fit(verdict: AnyVerdict) -> int:
    """Return how many questions have no finite fit of logistic regression, proven."""
    found = [question.separability.verdict for question in questions_of(verdict)]
    return sum(kind in ("separable", "touching") for kind in found)


def no_of(table: Table) -> str:
    """Return what no is called: of several other labels "not X", in the language spoken."""
    several = table.no == f"not {table.yes}"
    return say("not {label}", label=table.yes) if several else table.no


def passed_over(verdict: AnyVerdict) -> bool:
    """Return whether logistic regression was within reach, but not selected: it has no optimum."""
    if verdict.selection.by_hand or verdict.winner.constant or not verdict.n_folds:
        return False
    within = [(r.name, r.probabilities) for r in verdict.selection.within]
    return not is_logistic(verdict.winner.name) and (LOGISTIC.name, False) in within


def model_in_words(verdict: AnyVerdict, words: Words) -> list[str]:
    """Return the selected model with its error, why it is, and which do not differ clearly."""
    best = verdict.winner
    name, why = words.name(plain(best.name)), words(f"why_{verdict.selection.why}")
    if isinstance(verdict, Verdict) and passed_over(verdict):
        why = words("no_finite", why=why)
    elif isinstance(verdict, MulticlassVerdict) and passed_over(verdict):
        fit = next(r for r in verdict.results if r.name == LOGISTIC.name)
        error, of = per_cent(fit.cv_error), len(verdict.questions)
        why = words("no_finite_for", why=why, error=error, n=n_without_fit(verdict), all=of)
    join = words("semicolon").join
    if best.cv_error is None:
        return [join([words("no_cv", name=name), why])]
    error, guess = per_cent(best.cv_error), per_cent(guessing(verdict).cv_error)
    if best.constant:
        return [words("no_better", name=name, error=error)]
    spread = words("spread", sd=per_cent(best.cv_spread))
    if len(set(best.fold_errors)) == 1:
        spread = words("no_spread")
    said = [words("cv", name=name, error=error, spread=spread, guess=guess), why]
    if not verdict.equals:
        return [join(said)]
    n = len(verdict.equals)
    return [
        join([*said, words("no_difference", items=_equals(verdict, words, short=False))]),
        join([*said, words("no_difference", items=_equals(verdict, words, short=True))]),
        join([*said, words("no_difference_count", n=n)]),
        join(said),
    ]


def _equals(verdict: AnyVerdict, words: Words, *, short: bool) -> str:
    """Return the models without a clear difference, with their errors; short as --learner does."""
    errors = {
        words("guessing") if r.constant else words.name(plain(r.name)): per_cent(r.cv_error)
        for r in verdict.equals
    }
    names = {name: brief for brief, name in BY_HAND.items() if short and name.lower() != brief}
    return words("comma").join(f"{names.get(name, name)} {e}" for name, e in errors.items())


def ranking_in_short(verdict: AnyVerdict, words: Words) -> str:
    """Return what ranking a rare answer is worth, and how many rows get it; "" of another."""
    if not isinstance(verdict, Verdict) or verdict.rare is None:
        return ""
    rows = words.count(verdict.table.n_rows, "row")
    said = {"label": called(verdict.rare.label), "n": f"{n_answered_rare(verdict):,}", "rows": rows}
    found = ranking_of(verdict.rare, words)
    return words("ranked" if verdict.rare.figures else "unranked", **said, **found)


def ranking_of(rare: Rare, words: Words) -> dict[str, str]:
    said, found = {"share": f"{100.0 * rare.share:.2g}"}, rare.figures
    if found is None:
        return said
    how = words("ranked_left_out" if found.held_out else "ranked_here")
    figures = {"auc": found.auc, "ap": found.average_precision, "guess": found.share_of_yes}
    return said | {"how": how} | {name: f"{value:.2g}" for name, value in figures.items()}


def rare_in_words(verdict: Verdict) -> list[str]:
    """Return what ranking a rare answer is worth, and how to answer at another threshold."""
    if verdict.rare is None:
        return []
    at, said = verdict.rare.threshold, say("{s}.", s=ranking_in_short(verdict, SPOKEN.get()))
    if at is None:
        return [said]
    return [
        said,
        say(
            "As many rows as have this label get it at a threshold of {at:g}: separatrix predict "
            "MODEL NEW.csv --threshold {at:g}.",
            at=at,
        ),
    ]


def n_answered_rare(verdict: Verdict) -> int:
    """Return how many rows the selected model answers by the rarer label, at one half."""
    best = verdict.winner
    yes = verdict.n_yes - best.n_wrong_no + best.n_wrong_yes
    return yes if verdict.rare is None or verdict.rare.is_yes else verdict.table.n_rows - yes


def per_cent(share: float | None) -> str:
    return "-" if share is None else f"{100.0 * share:.1f}"


def called(text: str) -> str:
    return plain(text, NAME)


def separable_texts(verdict: AnyVerdict, words: Words) -> list[tuple[str, ...]]:
    """Return whether a line separates the rows, as paragraphs."""
    if isinstance(verdict, MulticlassVerdict):
        return [(_which_separable(verdict, words, most),) for most in range(MOST_NAMES, 0, -1)]
    proof = verdict.separability
    if proof.verdict == "undecided":
        return [(words("undecided", reason=proof.reason),)]
    if proof.verdict == "separable":
        first, pla = _all_apart(verdict, words), verdict.result(PLA.name)
        if pla is None or verdict.pla_bound is None:
            return [(first,)]
        t, bound = f"{pla.n_updates or 0:,}", bound_in_words(verdict.pla_bound)
        t = words("not_halted", t=t) if "budget" in pla.stopped else t
        return [(first, words(said, t=t, bound=bound)) for said in ("pla", "pla_short")]
    found = brief = _contradiction(verdict, words, MOST_NAMES)
    if proof.verdict == "touching":
        found = words("touching", found=found)
        rows = words.count(len(verdict.witness_lines), "row")
        brief = words("touching_short", rows=rows)
    return [(found,), (brief,)]


def separability_in_words(verdict: Verdict) -> str:
    """Return whether a line separates the rows, with the whole witness and what it means."""
    proof, words = verdict.separability, SPOKEN.get()
    if proof.verdict == "undecided":
        found = capital(separable_texts(verdict, words)[0][0])
        return say("Linearly separable? {found}.{more}", found=found, more="")
    if proof.verdict == "separable":
        said, meaning = _all_apart(verdict, words), say(MEANING["separable"])
    else:
        said = _contradiction(verdict, words, MOST_LINES)
        meaning = "" if len(verdict.witness_lines) == 2 else say(MEANING["contradict"])
    if proof.verdict == "touching":
        said = words("touching", found=said)
    products, more = products_in_words(verdict.encoding), meaning
    if products:
        more += f" {products}"
    if verdict.n_filled:
        more += say(
            " This is about the table as filled ({rows} had values missing).",
            rows=counted(verdict.n_filled, "row"),
        )
    return say("Linearly separable? {found}.{more}", found=capital(said), more=more)


def separable_in_short(verdict: Verdict, words: Words = ENGLISH_WORDS) -> str:
    """Return "yes, proven"."""
    known = {True: "yes_proven", False: "no_proven", None: "not_decided"}
    return words(known[verdict.separability.separable])


def products_in_words(encoding: Encoding) -> str:
    """Return what a feature transform means for what is proven; "" without one."""
    if encoding.monomials is None:
        return ""
    return say(
        "This is about products of up to {degree} columns, each rounded to a double.",
        degree=encoding.monomials.degree,
    )


def _all_apart(verdict: Verdict, words: Words) -> str:
    return words("is_separable", rows=words.all(verdict.table.n_rows, "row"))


def _contradiction(verdict: Verdict, words: Words, most: int) -> str:
    """Return which rows contradict each other: `most` of them, but never all but one."""
    lines, files = verdict.witness_lines, verdict.question.witness_files
    shown = lines if len(lines) <= most + 1 else lines[:most]
    said = (
        words("line_of_file", line=line, file=called(file)) if file else str(line)
        for line, file in zip(shown, files, strict=False)
    )
    word = "line_lines" if verdict.table.line_word == "line" else "line_rows"
    where = words(word, items=words("comma").join(said))
    if len(lines) == 2:
        return words("pair", lines=where)
    if len(shown) == len(lines):
        return words("few_contradict", lines=where)
    return words("contradict", rows=words.count(len(lines), "row"), lines=where)


def _which_separable(verdict: MulticlassVerdict, words: Words, most: int) -> str:
    """Return which questions a line answers."""
    names: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    for name, question in named_questions(verdict, words):
        names[question.separability.separable].append(name)
    parts = {"some_are": "yes", "some_are_not": "no", "some_open": "open"}
    said = [
        words(phrase, **{what: words.listed(found, most)})
        for (phrase, what), found in zip(parts.items(), names.values(), strict=True)
        if found
    ]
    return f"{words('semicolon').join(said)} [{words(verdict.rule)}]"


def named_questions(verdict: MulticlassVerdict, words: Words) -> list[tuple[str, Verdict]]:
    """Return each question with its name: of each label against the rest the label."""
    if verdict.rule == "ova":
        return [(called(q.table.yes), q) for q in verdict.questions]
    return [
        (words("one_of", no=called(q.table.no), yes=called(q.table.yes)), q)
        for q in verdict.questions
    ]


def fit_texts(verdict: AnyVerdict, words: Words) -> list[str]:
    """Return whether a logistic regression without penalty exists, and else what to do."""
    if isinstance(verdict, MulticlassVerdict):
        return _fits(verdict, words)
    if verdict.separability.verdict not in ("separable", "touching"):
        return [_fit_without_infinite(verdict, words)]
    found = infinite_of(verdict)
    ways_on = _remedies(verdict, found, words)
    if len(found) == len(verdict.features) + 1:
        said = [words("infinite_all", all=words.all(len(found), "coefficient"))]
    else:
        said = _infinite(found, verdict, words) or [words("combination")]
    texts = []
    for no_fit in (words("no_fit", infinite=infinite) for infinite in said):
        texts += [*(words("then", said=no_fit, remedy=r) for r in ways_on[:-1]), no_fit]
    return [*texts[:-1], words("then", said=texts[-1], remedy=ways_on[-1]), texts[-1]]


def fit_in_words(verdict: Verdict) -> str:
    """Return whether it exists, and what to do about the coefficients in the table below."""
    words, found = SPOKEN.get(), ""
    if verdict.separability.verdict not in ("separable", "touching"):
        found = _fit_without_infinite(verdict, words)
    else:
        remedy = _remedies(verdict, infinite_of(verdict), words)[0]
        found = words("then", said=say(GROWING), remedy=remedy)
    return say("Logistic fit: {found}.", found=found)


def _fit_without_infinite(verdict: Verdict, words: Words) -> str:
    if verdict.separability.verdict == "undecided":
        return words("fit_open")
    return words("exists_collinear" if verdict.separability.aliased else "exists")


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
        text = words.listed(shown, most)
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
        label = table.yes if c.yes else no_of(table)
        all_one = {1: "one_row", 2: "two_rows"}.get(c.rows, "all_one")
        return words("level", name=name, counts=words(all_one, rows=rows, label=called(label)))
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
        drop if few and len(drop) <= LONGEST_OPTION and drop.isprintable() else "",
    )


def _remedies(verdict: Verdict, found: Sequence[Infinite], words: Words) -> list[str]:
    """Return what to do, with the options to copy; the longest text first."""
    causes = [c for c in found if c.name != "(intercept)"]
    levels = bool(causes) and all(c.column for c in causes)
    kind = "penalty"
    if verdict.separability.verdict != "separable":
        kind = ("merge" if levels else "drop") + ("_one" if len(causes) == 1 else "")
        if kind == "merge" and len({c.column for c in causes}) == 1:
            kind = "merge_in_one"
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
    found = [(name, q.separability.verdict) for name, q in named_questions(verdict, words)]
    yes = [name for name, kind in found if kind == "overlapping"]
    no = [name for name, kind in found if kind in ("separable", "touching")]
    if not no:
        return [words("exists" if len(yes) == len(found) else "fit_open")]
    kind = "for_those" if any(kind == "touching" for _, kind in found) else "penalty"
    remedies = [words(kind, infer=way) for way in _ways(verdict, words)]
    for_some = words("no_fit_for", no=words.listed(no))
    for_yes = [words("fit_for", yes=words.listed(yes))] if yes else []
    said = [
        words("semicolon").join([for_some, *for_yes]),
        for_some,
        words("no_fit_count", n=len(no), all=len(found)),
    ]
    return [words("then", said=some, remedy=remedy) for some in said for remedy in remedies]


def mistakes_in_words(verdict: AnyVerdict, words: Words) -> str:
    """Return how many rows the selected model gets wrong, and how few any line does."""
    best, table = verdict.winner, table_of(verdict)
    here = {"n": f"{best.n_errors:,}", "all": f"{table.n_rows:,}"}
    if table.weight is None:
        said = words("here", **here)
    else:
        said = words("weighed", share=per_cent(best.e_in), **here)
    if isinstance(verdict, MulticlassVerdict):
        wrong = verdict.winner.confusion - np.diag(np.diag(verdict.winner.confusion))
        if not wrong.any():
            return said
        i, j = (int(k) for k in np.unravel_index(int(wrong.argmax()), wrong.shape))
        label, answer = (called(verdict.table.names[k]) for k in (i, j))
        return words("confused", here=said, label=label, answer=answer, n=f"{int(wrong[i, j]):,}")
    if verdict.separability.separable:
        return said if best.n_errors == 0 else words("some_makes_none", here=said)
    found = verdict.fewest_mistakes
    kind = "by_count" if table.weight is None else "by_weight"
    bounds = found.exact_lower, found.exact_upper
    lower, upper = (words(kind, n=amount(bound, words)) for bound in bounds)
    unchecked = "searched" if verdict.in_blocks else "unchecked"
    proven = words("proven" if verdict.fewest_checked else unchecked)
    if not found.proven:
        return words("at_least", here=said, lower=lower, upper=upper, proven=proven)
    if table.weight is None and found.exact_upper == best.n_errors:
        return words("none_fewer", here=said, proven=proven)
    return words("fewest", here=said, upper=upper, proven=proven)


def fewest_in_words(verdict: AnyVerdict) -> str:
    """Return the mistakes, and of one question that is open who comes closest, and why it is."""
    said = say("Mistakes on these rows: {found}.", found=mistakes_in_words(verdict, SPOKEN.get()))
    if isinstance(verdict, MulticlassVerdict) or verdict.separability.separable:
        return said
    best, found = min(verdict.results, key=lambda r: r.e_in), verdict.fewest_mistakes
    if verdict.table.weight is None:
        beaten = found.exact_upper < best.n_errors
    else:  # shares are rounded sums
        beaten = found.upper / verdict.table.total_weight < best.e_in * (1.0 - 1e-9)
    if beaten:
        said += say(
            " No learner found the best line: {name} comes closest with {mistakes}.",
            name=SPOKEN.get().name(best.name), mistakes=counted(best.n_errors, "mistake"),
        )  # fmt: skip
    if found.proven:
        return said
    longer = ": --fewest-seconds 60 searches for a minute" * (found.reason != NOT_COMPARED)
    return said + say(
        " The fewest of any line is open ({reason}){longer}.",
        reason=say(found.reason), longer=longer and say(longer),
    )  # fmt: skip


def fewest_in_short(verdict: Verdict, words: Words = ENGLISH_WORDS) -> str:
    """Return how few mistakes any line makes, as a figure: "66, proven" or "5 to 53"."""
    found = verdict.fewest_mistakes
    upper = amount(found.exact_upper, words)
    if not found.proven:
        return words("from_to", lower=amount(found.exact_lower, words), upper=upper)
    proven = verdict.fewest_checked or verdict.separability.separable
    return words("shown_proven", figure=upper) if proven else upper


@dataclass(frozen=True, slots=True)
class Infinite:
    """A coefficient without a finite value."""

    name: str  # of the feature, or "(intercept)"
    sign: str  # "+inf", "-inf", "±inf", or "inf" where the direction is not known
    column: str | None  # the column whose level it is; None for other features
    rows: int
    yes: int


def infinite_of(verdict: Verdict, most: int = MOST) -> list[Infinite]:
    """Return every infinite coefficient, the intercept first."""
    columns = {
        feature: how.name
        for how in verdict.encoding.columns
        if isinstance(how, CategoryEncoding)
        for feature in how.feature_names
    }
    names = ("(intercept)", *verdict.features)
    X, of_yes = verdict.question.points, verdict.question.sample.y > 0
    found = []
    for j, sign in infinite_signs(verdict, most).items():
        column = columns.get(names[j]) if j else None
        rows = yes = 0
        if j:
            values = X[:, j - 1] if isinstance(X, np.ndarray) else X[:, [j - 1]].toarray().ravel()
            has = values != 0.0
        is_level = j > 0 and (column is not None or bool(np.all(values[has] == 1.0)))
        if is_level and verdict.table.n_rows == of_yes.size:  # else these are some rows only
            rows, yes = int(has.sum()), int((has & of_yes).sum())
        found.append(Infinite(names[j], sign, column, rows, yes))
    return found


def infinite_signs(verdict: Verdict, most: int = MOST) -> dict[int, str]:
    """Return the coefficients without a finite optimum: {index in (1+d): "+inf"}."""
    proof = verdict.separability
    ways = proof.diverging if len(proof.divergent) <= most else {}
    known = {j: WAYS[way] for j, way in ways.items() if j not in proof.directionless}
    return {j: known.get(j, "inf") for j in proof.divergent}


def infinite_weights(verdict: Verdict) -> dict[int, str]:
    """Return those of `infinite_signs` that the selected model has: none unless it is logistic."""
    best = verdict.winner
    return infinite_signs(verdict) if is_logistic(best.name) and not best.probabilities else {}


def amount(value: Fraction, words: Words) -> str:
    """Return a sum of weights: whole, or to six digits."""
    whole = value.denominator == 1
    return f"{value.numerator:,}" if whole else words("about", n=f"{float(value):.6g}")
