"""What is judged: questions, rows that learners see, and their folds, in memory or in blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, Labels, Sample, in_full, may_be_sparse
from separatrix.learners.least_squares.least_squares import few_numbers
from separatrix.scale import Block, Loop, Rows
from separatrix.scale.encoded import About
from separatrix.scale.together import Begun, begin
from separatrix.scale.view import seen_as
from separatrix.separation.decide import Separability
from separatrix.tables import (
    CategoryColumn,
    CategoryEncoding,
    Column,
    Encoding,
    NumberColumn,
    NumberEncoding,
    Table,
)
from separatrix.tables.files.formats import ARRAYS
from separatrix.tables.read import Described
from separatrix.tables.wording import counted
from separatrix.tiles import TILE
from separatrix.verdict.cases import Cases, Question, decided
from separatrix.verdict.columns import Columns, TrainingRows
from separatrix.verdict.folds import (
    Dealt,
    Fills,
    Fold,
    FoldRows,
    fills_of_folds,
    folds_of,
    number_of_folds,
    unseen_in_table,
    unseen_note,
)

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Part:
    """One fold: for each question the rows to learn from, and those left out."""

    seen: tuple[TrainingRows, ...]
    held: tuple[Rows, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    begun: tuple[Begun[Question], ...]
    seen: tuple[TrainingRows, ...]  # the rows of each question
    folded: Begun[tuple[tuple[Callable[[], Part], ...], tuple[str, ...]]]  # folds, and notes
    cases: Cases | None  # of a table in memory
    folds: tuple[Fold, ...]  # likewise
    read: Rows | None  # those that are read in blocks
    size: str  # in words

    @property
    def questions(self) -> tuple[Question, ...]:
        """What is asked, decided; a run among others waits for that."""
        return tuple(question.result() for question in self.begun)

    @property
    def parts(self) -> tuple[Callable[[], Part], ...]:
        """The folds; a run among others waits for them."""
        return self.folded.result()[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be known of the rows and folds."""
        return self.folded.result()[1]

    @property
    def rule(self) -> str | None:
        """The rule that joins the lines of several questions."""
        return None if self.cases is None else self.cases.rule

    @property
    def proofs(self) -> list[Separability]:
        """Whether a line answers each question."""
        return [question.separability for question in self.questions]

    @property
    def facts(self) -> str:
        """Their size and, where it is known, which questions a line answers, in words."""
        if not all(question.done for question in self.begun):
            return self.size
        if len(self.proofs) > 1:
            n = sum(proof.separable is True for proof in self.proofs)
            return f"{self.size}, {n} of {len(self.proofs)} separable"
        answers = {True: "separable", False: "not separable", None: "undecided"}
        return f"{self.size}, {answers[self.proofs[0].separable]}"


def size_of(n: int, d: int) -> str:
    return f"{counted(n, 'row')}, {counted(d, 'feature')}"


def asked_of_table(cases: Cases, classes: Labels, named: bool, degree: int, tell: Tell) -> Asked:
    questions = []
    for pair in cases.pairs:
        table, name = cases.asked(pair)
        tell(f"{name}is it separable?")
        labels = classes if cases.rule is None else np.array([table.no, table.yes])
        sample = cases.rows.asked(pair, labels)
        proof = decided(sample)
        questions.append(Question(table, cases.encoding, labels, named, sample, proof))
    folds, note = folds_of(cases.table, cases.encoding, degree)
    unseen = unseen_in_table(cases.base, cases.encoding, folds)
    notes = (*cases.base.notes, note, unseen)
    return Asked(
        tuple(map(Begun, questions)),
        tuple(TrainingRows.of(q.sample, q.separability) for q in questions),
        Begun((tuple(partial(_encoded, cases, questions, fold) for fold in folds), notes)),
        cases,
        tuple(folds),
        None,
        size_of(*cases.rows.X.shape),
    )


def _encoded(cases: Cases, questions: Sequence[Question], fold: Fold) -> Part:
    train, left_out = fold.train, fold.held
    seen, held = [], []
    for pair, q in zip(cases.pairs, questions, strict=True):
        seen.append(TrainingRows.of(train.asked(pair, q.classes)))
        held.append(Rows.of(left_out.asked(pair, q.classes)))
    return Part(tuple(seen), tuple(held))


def asked_of_rows(rows: Rows, tell: Tell) -> Asked:
    tell("is it separable?")
    seen = _seen(rows)
    proof = begin(rows, partial(decided, seen.sample or rows))
    seen = replace(seen, proof=proof)
    columns = seen.begun_columns
    return Asked(
        (begin(rows, lambda: _question(rows, columns.result(), proof.result())),),
        (seen,),
        begin(rows, partial(_folded, rows, columns)),
        None,
        (),
        rows,
        size_of(*rows.shape),
    )


def _folded(
    rows: Rows, begun: Begun[Columns]
) -> tuple[tuple[Callable[[], Part], ...], tuple[str, ...]]:
    columns, about = begun.result(), rows.source.about
    folds, note = number_of_folds(int(columns.rows.min()), "rows")
    dealt = Dealt(columns.before, folds, rows.classes)
    fills = fills_of_folds(rows.source, dealt)
    notes = () if about is None else about.notes
    unseen = "" if about is None else unseen_note(rows, about.encoding, dealt.of, folds)
    nnz = None
    if rows.source.nnz is not None and folds:
        nnz = np.sum(rows.map(_nonzeros, dealt), axis=0)
    views = tuple(partial(_view, rows, dealt, k, fills[k], nnz) for k in range(folds))
    return views, (*notes, note, unseen)


def _question(rows: Rows, columns: Columns, proof: Separability) -> Question:
    """Return the question of rows that are read in blocks: some of them, and the proof."""
    proofs = (proof.refusal, proof.witness, proof.margin_proof)
    named = [int(n) for part in proofs if part is not None for n in part.rows]
    table, encoding, sample = sampled(rows, columns, named)
    return Question(table, encoding, np.array([table.no, table.yes]), True, sample, proof)


def _nonzeros(block: Block, dealt: Dealt) -> NDArray[np.int64]:
    """Return how many numbers of the rows of each fold are no zeros."""
    fold_of = dealt.of(block.sample.y, block.start // TILE)
    found = np.bincount(fold_of, np.diff(block.sample.X.indptr), dealt.folds)
    return found.astype(np.int64)


def _view(
    rows: Rows, dealt: Dealt, k: int, fills: Fills | None, nnz: NDArray[np.int64] | None
) -> Part:
    """Return a fold of rows that are read in blocks; kept in memory where that is little."""
    train, held = (
        seen_as(
            rows,
            FoldRows(rows.source, dealt, k, fills, nnz, held=held),
            (1 if held else dealt.folds - 1) / dealt.folds,
        )
        for held in (False, True)
    )
    return Part((_seen(train),), (held,))


def _seen(rows: Rows) -> TrainingRows:
    """Return rows to learn from: from memory where they are few enough to be kept, read once.

    Workers share those of large dense tables; others are learned from as a whole.
    """
    whole = isinstance(rows.back_end, Loop) or may_be_sparse(*rows.shape) or few_numbers(rows)
    if whole and rows.fits_in_memory:
        return TrainingRows.of(rows.as_arrays())
    return TrainingRows(rows)


ROWS = 4096  # that pictures are drawn of, and probabilities judged by, of a large table
FEW = 1 << 18  # numbers in a table of which all rows are


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class SampledTable(Table):
    """Some rows of a table, with what is true of all of them."""

    at: NDArray[np.int64]  # which rows these are
    file: NDArray[np.int64]  # the file each is in
    file_names: tuple[str, ...]
    n_all: int  # how many rows there are
    weight_all: float  # the sum of all weights

    @property
    def n_rows(self) -> int:
        return self.n_all

    @property
    def total_weight(self) -> float:
        return self.weight_all

    def positions(self, rows: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where rows of the whole table stand among these."""
        return np.searchsorted(self.at, np.asarray(rows, dtype=np.int64))

    def file_of(self, position: int) -> str:
        """Return the file that a row is in, by its position in `lines`; "" of one file alone."""
        return self.file_names[int(self.file[position])] if self.file_names[1:] else ""


def sampled(
    rows: Rows, all_of: Columns, shown: Sequence[int]
) -> tuple[SampledTable, Encoding, Sample]:
    """Return every k-th row of a table, and some rows more, with the encoding of their columns."""
    step = 1 if rows.n * (rows.d + 1) <= FEW else max(1, rows.n // ROWS)
    every = np.arange(0, rows.n, step)
    at = np.unique(np.concatenate([every, np.asarray(shown, dtype=np.int64)]))
    found = rows.take(at)
    X = in_full(found.X).astype(np.float64)
    form = X if rows.source.nnz is None else found.X  # as learners see them
    sample = replace(found, X=form)
    file, lines = rows.source.places(at)
    about = rows.source.about
    if about is None:
        plain = tuple(NumberEncoding(str(name), None) for name in rows.names)
        no, yes = (str(label) for label in found.classes)
        about = About(
            name="the table", format=ARRAYS, paths=(), encoding=Encoding(plain), label="y", no=no,
            yes=yes, n_rows_in_file=rows.n,
        )  # fmt: skip
    weighted = about.weight_column is not None or not np.all(all_of.weight == all_of.rows)
    return (
        SampledTable(
            **{f.name: getattr(about, f.name) for f in fields(Described)},
            sha256=about.sha256 if about.paths else "",
            columns=_columns(about.encoding, X),
            y=found.y,
            weight=found.weight if weighted else None,
            group=None,
            lines=lines,
            at=at,
            file=file,
            file_names=rows.source.file_names,
            n_all=rows.n,
            weight_all=float(all_of.weight.sum()),
        ),
        about.encoding,
        sample,
    )


def _columns(encoding: Encoding, X: Floats) -> tuple[Column, ...]:
    columns: list[Column] = []
    start = 0
    for how in encoding.columns:
        features = X[:, start : start + how.width]
        start += how.width
        if isinstance(how, CategoryEncoding):
            place = (features * np.arange(1, how.width + 1)).sum(axis=1).astype(np.int64)
            levels = sorted(how.levels)
            code = np.array([levels.index(level) for level in how.levels], dtype=np.int32)
            codes = code[place]
            columns.append(CategoryColumn(how.name, codes, tuple(levels)))
        else:
            columns.append(NumberColumn(how.name, features[:, 0].copy()))
    return tuple(columns)
