"""The CSV of answers: a row for every row of the table."""

from __future__ import annotations

import csv
import io
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Points, SeparatrixWarning, shortened
from separatrix.model import Lines, TableModel, load, table_of, with_threshold
from separatrix.predicting.agreeing import COLUMN, agreement
from separatrix.predicting.explaining import explainable, explained
from separatrix.tables import Encoding, Rows, read_rows, take
from separatrix.tables.cells import NUMBER
from separatrix.tables.wording import counted, listed

MISSING_CHOICES = ("refuse", "blank")
SPECIAL = re.compile('[",\r\n]')
FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")  # how cells begin that spreadsheets run


def answers_csv(
    model_path: str | os.PathLike[str],
    table_path: str | os.PathLike[str],
    *,
    missing: str = "refuse",
    unknown: str = "refuse",
    explain: bool = False,
    threshold: float | None = None,
    learned_from: str | os.PathLike[str] | None = None,
    **options: Untyped,
) -> str:
    """Return a CSV with a row for every row of the table: where it stands, answer and score.

    Models of many labels give a score for each. Models that know probabilities add them. Scores
    are written so that they read back to the same doubles. A label that a spreadsheet would run as
    a formula gets a quote mark before it, and a warning says so. Rows that lack a value which the
    model cannot fill are refused, or with ``missing="blank"`` get an empty answer.

    Parameters
    ----------
    model_path, table_path : str or path
    missing : "refuse" or "blank"
    unknown : "refuse" or "blank"
        Likewise for rows with a category that the model never saw.
    explain : bool
        Add the score's parts, see `explaining.explained`.
    threshold : float or None
        Answer yes above this probability; None: above that which the model remembers, or one half.
    learned_from : str, path or None
        The table that the model was learned from: add whether all lines that separate it agree,
        see `agreeing.agreement`.

    Raises
    ------
    InputError
        When the model or the table cannot be used together.
    """
    answering = Answering.of(model_path, missing, unknown, explain=explain, threshold=threshold)
    table = answering.table
    options["decimal"] = options.get("decimal") or table.decimal
    rows = read_rows(
        table_path, table.encoding, known_extra=table.extra, recipes=table.recipes, **options
    )
    form = {name: v for name, v in options.items() if name != "match_names"}
    return in_csv(rows, *answering.answers(rows, learned_from, form))


@dataclass(frozen=True, slots=True)
class Answering:
    """A model of a table, and how its answers are given."""

    model: Untyped  # learner
    table: TableModel  # what it knows of its columns
    missing: str
    unknown: str
    lines: Lines | None  # those whose scores are explained; None for no explanation

    @classmethod
    def of(
        cls,
        model_path: str | os.PathLike[str],
        missing: str,
        unknown: str,
        *,
        explain: bool,
        threshold: float | None,
    ) -> Answering:
        """Return the model in a file; `InputError` for one that knows no table."""
        model = load(model_path)
        if threshold is not None:
            model = with_threshold(model, threshold)
        table = table_of(model)
        if table is None:
            raise InputError(
                f"{str(model_path)!r} was learned from arrays, not from a table: it knows no "
                "columns. Use separatrix.load(path).predict(X) in Python."
            )
        return cls(model, table, missing, unknown, explainable(model) if explain else None)

    def answers(
        self,
        rows: Rows,
        learned_from: str | os.PathLike[str] | None = None,
        form: Mapping[str, Untyped] | None = None,
    ) -> tuple[NDArray[np.int64], dict[str, list[str]]]:
        """Return which rows are answered, and the output columns for these."""
        encoding = self.table.encoding
        complete = answerable(rows, encoding, self.missing, self.unknown)
        columns = take(rows.columns, complete)
        X = encoding.encode(columns, rows.lines[complete], rows.line_word)
        answers = answers_of(self.model, X)
        if learned_from is not None:
            answers[COLUMN] = agreement(self.model, learned_from, X, dict(form or {}))
        if self.lines is not None:
            places = {str(label): k for k, label in enumerate(self.model.classes_)}
            chosen = np.array([places[answer] for answer in answers["answer"]], dtype=np.int64)
            answers |= explained(self.lines, columns, X, chosen)
        answers["answer"] = _as_text(answers["answer"])
        return complete, answers


def answerable(rows: Rows, encoding: Encoding, missing: str, unknown: str) -> NDArray[np.int64]:
    """Return the rows that can be answered; `InputError` for others unless they stay blank."""
    complete = encoding.complete(rows.columns)
    if missing == "refuse" and complete.size < rows.n_rows:
        _refuse_incomplete(rows, encoding, rows.n_rows - complete.size)
    if unknown == "blank":
        for never in encoding.unseen(rows.columns).values():
            complete = complete[~never[complete]]
    return complete


def _refuse_incomplete(rows: Rows, encoding: Encoding, n_rows: int) -> NoReturn:
    lacking = {n: absent for n, absent in encoding.lacking(rows.columns).items() if absent.any()}
    name, absent = next(iter(lacking.items()))
    first = rows.lines[int(np.argmax(absent))]
    counts = ", ".join(f"{shortened(repr(n), 40)} ({int(k.sum()):,})" for n, k in lacking.items())
    raise InputError(
        f"{rows.name}, {rows.line_word} {first}, column {shortened(repr(name), 40)}: the value is "
        "missing, and this model was trained without filling. Missing in "
        f"{counted(n_rows, 'row')}: "
        f"{shortened(counts, 300)}. Use --missing blank to leave those answers empty, or train "
        "with --missing fill."
    )


def answers_of(model: Untyped, X: Points) -> dict[str, list[str]]:
    """Return the output columns for encoded rows X (N, d)."""
    for named in (model, *getattr(model, "estimators_", ())):
        vars(named).pop("feature_names_in_", None)  # the encoding has matched the names already
    classes = [str(label) for label in model.classes_]
    two = len(classes) == 2
    scores = ["score"] if two else [f"score_of_{label}" for label in classes]
    chances = [f"probability_of_{label}" for label in (["yes"] if two else classes)]
    if X.shape[0] == 0:
        return {name: [] for name in ("answer", *scores)}
    answers = {"answer": [str(a) for a in model.predict(X)]}
    answers |= _by_column(scores, model.decision_function(X))
    if hasattr(model, "predict_proba"):
        chance = model.predict_proba(X)
        if getattr(model, "direction_", None) is not None:
            warnings.warn(
                "logistic regression has no finite optimum on the table that this model was "
                "learned from: its probabilities of 0 and 1 are limits there, and no certainties "
                "for new rows. The answers stand.",
                SeparatrixWarning,
                stacklevel=3,
            )
        answers |= _by_column(chances, chance[:, 1] if two else chance)
    return answers


def _by_column(names: Sequence[str], values: Floats) -> dict[str, list[str]]:
    """Return the columns of values, (N,) or (N, columns), as text that reads back exactly."""
    columns = values.reshape(len(values), len(names)).T.tolist()
    return {name: [repr(v) for v in of_one] for name, of_one in zip(names, columns, strict=True)}


def _as_text(labels: Sequence[str]) -> list[str]:
    """Return labels such that no spreadsheet runs one: a quote mark before those that it would."""
    quoted = {label: f"'{label}" for label in set(labels) if _is_run(label.lstrip("'"))}
    if quoted:
        warnings.warn(
            f"a spreadsheet would run {counted(len(quoted), 'label')} as a formula "
            f"({listed(sorted(quoted), 3)}): a quote mark (') is written before such an answer.",
            SeparatrixWarning,
            stacklevel=3,
        )
    return [quoted.get(label, label) for label in labels]


def _is_run(text: str) -> bool:
    """Whether a spreadsheet takes a cell for a formula; a number is none, whatever its sign."""
    return text.startswith(FORMULAS) and not NUMBER.fullmatch(text)


def _is_quoted(cells: Sequence[str]) -> bool:
    """Whether a cell of CSV has quote marks around it."""
    return SPECIAL.search("\0".join(cells)) is not None


def in_csv(
    rows: Rows,
    answered: NDArray[np.int64],
    answers: dict[str, list[str]],
    *,
    header: bool = True,
    file: str = "",
) -> str:
    """Return output columns as CSV, a row for every row, blank where it has no answer."""
    text, first = io.StringIO(), [file] if file else []
    # Python before 3.13 leaves a lone carriage return outside quotes
    returns = any("\r" in cell for cell in {file, *answers, *answers["answer"]})
    writer = csv.writer(
        text, lineterminator="\n", quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL
    )
    if header:
        writer.writerow([*(["file"] if file else []), rows.line_word, *answers])
    values = zip(*answers.values(), strict=True)
    if answered.size == rows.n_rows and not any(map(_is_quoted, (first, *answers.values()))):
        begin = [f"{file},{line}" if file else f"{line}" for line in rows.lines.tolist()]
        text.writelines(
            ",".join(cells) + "\n" for cells in zip(begin, *answers.values(), strict=True)
        )
        return text.getvalue()
    written = dict(zip(answered.tolist(), values, strict=True))
    blank = ("",) * len(answers)
    for n, line in enumerate(rows.lines.tolist()):
        writer.writerow([*first, line, *written.get(n, blank)])
    return text.getvalue()
