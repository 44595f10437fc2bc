"""What came out: the selected model, its mistakes, and how it ranks a rare answer.

The first screen and the report say it in the same words.
"""

from __future__ import annotations

from separatrix.report.wording import plain
from separatrix.report.words import ENGLISH_WORDS, Words
from separatrix.tables import Table
from separatrix.verdict import JointResult, LearnerResult, MulticlassVerdict, Verdict
from separatrix.verdict.candidates import LOGISTIC, is_logistic
from separatrix.verdict.rare import Rare
from separatrix.verdict.selection import BY_HAND

NAME = 24  # characters of a column's or label's name

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


def mistakes_in_words(verdict: AnyVerdict, words: Words) -> str:
    """Return how many rows the selected model gets wrong."""
    best, table = verdict.winner, table_of(verdict)
    n, rows = f"{best.n_errors:,}", f"{table.n_rows:,}"
    if table.weight is None:
        return words("here", n=n, all=rows)
    return words("weighed", n=n, all=rows, share=per_cent(best.e_in))


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
    at, said = verdict.rare.threshold, f"{ranking_in_short(verdict, ENGLISH_WORDS)}."
    if at is None:
        return [said]
    return [
        said,
        f"As many rows as have this label get it at a threshold of {at:g}: separatrix predict "
        f"MODEL NEW.csv --threshold {at:g}.",
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
