"""The label column: which text is no and which is yes.

Labels are kept as written. Numbers are compared as numbers ("1" and "1.0" are one label); texts
that differ only in case or blanks are refused, never merged silently.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, describe_counts, refuse_look_alikes
from separatrix.tables.cells import BLANKS, INTEGER, distinct_texts, missing_among, what_is
from separatrix.tables.raw import Cells
from separatrix.tables.wording import counted, listed, shown

UNLABELLED_CHOICES = ("refuse", "drop")
ASK_ALL = (
    "; or ask about all of them with --multiclass ova (each against the rest) or --multiclass ovo "
    "(each against each)"
)
MANY_MEASURED = 10  # this many different fractions are measurements, not names
MOST_COMPARED = 100  # labels, for their spelling
FEW = 5, 0.01  # fewer rows than that, or than this share of the rows of the label it is like
YES_NO = {"y": "yes", "n": "no"}
EVENT = "the event of the two"
AFFIRMED = "the word for yes of the two"
NEGATED = "the other label is its negation"
SORTED = "the second label in sorted order (neither says yes itself)"
WORDS = (  # why a word is yes, such words, and those that answer them
    (AFFIRMED,
     "yes y true t 1 on + positive pos good approved accepted granted eligible passed pass success "
     "successful won win present ja oui si sí sim tak да 是 有 真 對 好 陽性 通過 核准 成功 合格",
     "no n false f 0 -1 off - negative neg bad rejected denied declined refused ineligible failed "
     "fail failure unsuccessful lost loss absent nein nee non não nie нет 否 無 假 錯 壞 陰性 "
     "未通過 拒絕 失敗 不合格"),
    (EVENT,
     "default defaulted died dead deceased churned churn fraud fraudulent spam sick ill malignant "
     "diseased bought clicked responded 違約 死亡 流失 詐欺 惡性 患病 逾期",
     "paid repaid survived alive stayed retained legit legitimate genuine ham healthy well benign "
     "control current ignored 正常 已還 存活 留存 良性 健康 準時"),
)  # fmt: skip
NEGATIONS = "not", "non", "no", "un", "未", "不", "非", "無", "沒有", "沒"
LONGEST_INTEGER = 400  # digits; longer ones are text
SHORTEST_WHOLE = 1e16  # below it a whole float is shown without exponent


@dataclass(frozen=True, slots=True)
class LabelColumn:
    """Labels before the question of yes and no."""

    name: str
    codes: NDArray[np.int64]  # int64 array (N,) Positions in `names`; -1 where the label is missing
    names: tuple[str, ...]  # the labels as shown, sorted (numbers by value)
    numeric: bool  # whether all of them are numbers


@dataclass(frozen=True, slots=True)
class Question:
    """The yes / no question."""

    no: str
    yes: str
    y: Floats  # float64 array (N,) of -1 and +1
    rest: tuple[str, ...]  # the labels that are no, where several are


def label_column(name: str, cells: Cells, *, fold: bool) -> LabelColumn:
    """Return the labels as written; to `fold`, ' Yes' and 'yes' are one."""
    distinct, positions = distinct_texts(cells)
    missing = missing_labels(distinct)
    values: dict[str, Untyped] = {v: v for v in distinct if v not in missing}
    numeric = bool(values) and all(map(_is_number, values))
    if numeric:
        values = {v: _value(v.strip(BLANKS)) for v in values}
    elif fold:
        values = one_spelling(values)
    else:
        refuse_look_alikes(values)
    ordered = sorted(set(values.values()))
    code = {value: k for k, value in enumerate(ordered)}
    codes = np.array([code[values[v]] if v in values else -1 for v in distinct])
    names = tuple(map(_shortest, ordered)) if numeric else tuple(ordered)
    return LabelColumn(name, codes[positions], names, numeric)


def one_spelling(labels: Iterable[str]) -> dict[str, str]:
    """Return the word of each label: in lower case without blanks around it, y as yes."""
    folded = {label: label.strip().casefold() for label in labels}
    words = one_word_for_each(list(folded.values()))
    return {label: words.get(word, word) for label, word in folded.items()}


def one_word_for_each(folded: Sequence[str]) -> dict[str, str]:
    """Return y: yes and n: no where all words are such and one of them stands in both forms."""
    words = set(folded)
    both = any({short, long} <= words for short, long in YES_NO.items())
    return YES_NO if both and words <= {*YES_NO, *YES_NO.values()} else {}


def known_words(levels: Sequence[str]) -> dict[str, str]:
    """Return y: yes and n: no where a model knows yes and no, and not y and n."""
    words = set(levels)
    return YES_NO if set(YES_NO.values()) & words and not words & set(YES_NO) else {}


def missing_labels(distinct: list[str]) -> set[str]:
    """Return which distinct texts, blanks around them apart, stand for a missing label."""
    bare = [v.strip(BLANKS) for v in distinct]
    missing = missing_among(bare)
    return {v for v, b in zip(distinct, bare, strict=True) if b in missing}


def _is_number(text: str) -> bool:
    return len(text) <= LONGEST_INTEGER and what_is(text.strip(BLANKS)) == "number"


def _value(text: str) -> int | float:
    """Return the number; integers stay exact, so that two long identifiers stay two."""
    return int(text) if INTEGER.fullmatch(text) else float(text)


def _shortest(value: float) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < SHORTEST_WHOLE:
        return str(int(value))
    return repr(value)


def likely_yes(labels: Sequence[str]) -> tuple[str, str]:
    """Return which of two sorted labels means yes by its word, and why; else the second."""
    bare = ["".join(label.casefold().split()) for label in labels]
    sides = [(why, yes.split(), no.split()) for why, yes, no in WORDS]
    for k, (word, other) in enumerate((bare, bare[::-1])):
        for why, yes, no in sides:
            if word in yes and other in no:
                return labels[k], why
        plain = word.replace("-", "").replace("_", "")
        negations = [prefix + plain for prefix in NEGATIONS]
        if len(plain.encode()) > 2 and other.replace("-", "").replace("_", "") in negations:
            return labels[k], NEGATED
    known = {word for _, yes, no in sides for word in (*yes, *no) if len(word.encode()) > 2}
    for k, (word, other) in enumerate((bare, bare[::-1])):
        for why, yes, _ in sides:
            if word in yes and word in known and other not in known:
                return labels[k], why
    return labels[1], SORTED


def unlabelled_refusal(where: str, missing: int, n: int) -> InputError:
    return InputError(
        f"{where}: the label is missing ({counted(missing, 'row')} of {n:,} in all). A missing "
        "label is never guessed: give it, or leave those rows out with --unlabelled drop."
    )


def ask(column: LabelColumn, yes: str | None, counts: NDArray[np.int64] | None = None) -> Question:
    """Return the question; of codes that stand for several rows, with how many rows labels have."""
    if counts is None:
        counts = np.bincount(column.codes, minlength=len(column.names))
    present = [k for k, count in enumerate(counts) if count]
    names = [column.names[k] for k in present]
    if len(present) < 2:
        gone = [name for name in column.names if name not in names]
        lost = f" The rows of {listed(gone)} lack a value (try --missing fill) or have weight 0."
        why = lost if gone else ""
        raise InputError(
            f"the label column {shown(column.name)} holds one label only, {listed(names)} in "
            f"{counted(int(counts.sum()), 'row')}: there is nothing to separate it from.{why}"
        )
    if len(present) > 2 and yes is None:
        _refuse_many(column, [(column.names[k], int(counts[k])) for k in present])
    if yes is None:
        position = present[names.index(likely_yes(names)[0])]
    else:
        position = _find_yes(column, yes, present)
    yes, y = column.names[position], np.where(column.codes == position, 1.0, -1.0)
    no = tuple(name for name in names if name != yes)
    word, rest = (no[0], ()) if len(no) == 1 else (f"not {yes}", no)
    return Question(word, yes, y, rest)


def ask_first(column: LabelColumn) -> Question:
    """Return the question of the first of three labels or more against the rest."""
    counts = np.bincount(column.codes, minlength=len(column.names))
    pairs = [(column.names[k], int(count)) for k, count in enumerate(counts) if count]
    if len(pairs) < 2:
        return ask(column, None)  # refuses it
    if len(pairs) == 2:
        raise InputError(
            f"the label column {shown(column.name)} holds {describe_counts(pairs)}: that is one "
            "yes / no question. Leave --multiclass out."
        )
    _refuse_measured(column, pairs)
    return replace(ask(column, pairs[0][0]), rest=())  # each label is asked about


def misspelt(column: LabelColumn, counts: NDArray[np.int64]) -> list[str]:
    """Return a warning for each of several labels in few rows that is nearly a common one."""
    often = dict(zip(column.names, counts.tolist(), strict=True))
    if column.numeric or not 2 < len(often) <= MOST_COMPARED:
        return []
    bare = {name: "".join(name.casefold().split()) for name in often}
    return [
        f"The label {shown(name)} of {counted(n, 'row')} is nearly {shown(other)} "
        f"({often[other]:,} rows), and counts as a label of its own. If it is misspelt, correct "
        "the file."
        for name, n in often.items()
        for other in often
        if 0 < 10 * n <= often[other] and n < max(FEW[0], FEW[1] * often[other])
        and _differ_by_a_letter(bare[name], bare[other])
    ]  # fmt: skip


def _differ_by_a_letter(one: str, other: str) -> bool:
    """Whether a letter is exchanged, left out or too many; digits make names of their own."""
    pairs = enumerate(zip(one, other, strict=False))
    k = next((k for k, (a, b) in pairs if a != b), min(len(one), len(other)))
    a, b = one[k:], other[k:]
    same = a[1:] == b[1:] or a[1:] == b or a == b[1:]
    digits = (a[:1] + b[:1]).isdecimal()
    return same and max(len(one), len(other)) > 2 and not digits


def _refuse_many(column: LabelColumn, pairs: list[tuple[str, int]]) -> NoReturn:
    _refuse_measured(column, pairs)
    raise InputError(
        f"the label column {shown(column.name)} holds {describe_counts(pairs)}. Say which one is "
        f"yes, against the rest, with --yes VALUE{ASK_ALL}."
    )


def _refuse_measured(column: LabelColumn, pairs: list[tuple[str, int]]) -> None:
    fractions = column.numeric and any("." in name or "e-" in name for name, _ in pairs)
    if fractions and len(pairs) > MANY_MEASURED:
        raise InputError(
            f"the label column {shown(column.name)} is continuous: {len(pairs):,} different "
            f"numbers such as {listed((name for name, _ in pairs), 3)}. These look like "
            "measurements, not labels. Make a yes / no column of them first (above a threshold, "
            "say) and give its name with --label."
        )


def _find_yes(column: LabelColumn, yes: str, present: list[int]) -> int:
    names = [column.names[k] for k in present]
    wanted = _shortest(_value(yes.strip())) if column.numeric and _is_number(yes) else yes
    for name in names:  # look-alikes were refused, so blanks around a label decide nothing
        if name in (wanted, yes) or name.strip() == wanted:
            return column.names.index(name)
    raise InputError(
        f"--yes {shown(yes)} is not among the labels of column {shown(column.name)}: "
        f"{listed(names)}."
    )
