"""One pass over rows that are not kept: an online learner, and what is proven along the way.

Anything that yields rows becomes batches (X, y): tuples, mappings, Arrow batches.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.data import (
    Floats,
    InputError,
    Labels,
    Sample,
    constant_of,
    dense,
    read_classes,
    read_labels,
    read_pair,
    signs_of,
)
from separatrix.exact.integers import Indices
from separatrix.learners.perceptron import Perceptron
from separatrix.learners.walks.partial_fit import InBatches
from separatrix.notebook import Summarised, Summary, figure, places
from separatrix.streaming.monitor import NOT_THE_SAME, Contradiction, Monitor
from separatrix.tables.wording import counted
from separatrix.theory import online_to_batch_bound

TOGETHER = 4096  # single rows
BATCH = 8192  # rows, and at most ...
NUMBERS = 1 << 20  # ... numbers
ONE_LABEL = 1 << 16  # rows that are held while all of them have one label
Batch = tuple[ArrayLike, ...]  # X (n, d), y (n,) and perhaps what rows are called by (n,)


def batches_of(
    source: Iterable[Untyped], label: str | None = None, together: int = TOGETHER
) -> Iterator[Batch]:
    """Yield batches (X, y), or (X, y, numbers), of what a stream yields.

    Parameters
    ----------
    source : yields pairs (X, y) of a batch X (N, d) or of one row x (d,), with what rows are called
        by as a third part if need be; or mappings of names to values, one for each row; or Arrow
        record batches and data frames
    label : the name that y has in the latter
    together : single rows that are put into one batch

    Raises
    ------
    InputError
        For anything else, and for a row that lacks the label or has other columns than the first.
    """
    pairs = _pairs_of(source, label)
    for X, y, *numbers in pairs:
        if np.ndim(X) != 1:
            yield X, y, *numbers
            continue
        some = [(X, y, *numbers), *islice(pairs, together - 1)]
        yield tuple(list(part) for part in zip(*some, strict=True))


def _pairs_of(source: Iterable[Untyped], label: str | None) -> Iterator[Batch]:
    """Yield what a stream yields as pairs, columns in the order of the first row or batch."""
    names: list[str] = []
    for k, row in enumerate(source):
        if isinstance(row, tuple) and len(row) in (2, 3):
            yield row
            continue
        what = "row" if isinstance(row, Mapping) else "batch"
        if isinstance(row, Mapping):
            values = dict(row)
        elif hasattr(row, "column_names"):
            columns = zip(row.column_names, row.columns, strict=True)
            values = {name: column.to_numpy(zero_copy_only=False) for name, column in columns}
        elif hasattr(row, "columns"):
            values = {str(name): np.asarray(row[name]) for name in row.columns}
        else:
            raise InputError(
                f"a stream yields pairs (X, y), mappings or Arrow batches; this one yields "
                f"{type(row).__name__}."
            )
        if label is None:
            raise InputError("say which column holds the labels (label=...).")
        have = ", ".join(map(repr, values))
        names = names or list(values)
        if values.keys() != set(names):
            first = ", ".join(map(repr, names))
            raise InputError(f"{what} {k} has {have}; the first {what} has {first}.")
        if label not in values:
            raise InputError(f"a {what} has no {label!r}; it has {have}.")
        x = [values[name] for name in names if name != label]
        y = values[label]
        yield x if what == "row" else np.column_stack(x or [np.zeros((len(y), 0))]), y


@dataclass(frozen=True, repr=False)
class StreamVerdict(Summarised):
    """What is known after some rows of a stream.

    Parameters
    ----------
    n : rows
    mistakes : of the online run; each row is answered before it is learned from
    delta : in (0, 1)
    risk_bound : of the lines that answered, with probability 1 - delta; see
        `theory.online_to_batch_bound`
    separable : True or False, proven; None where that is not known
    proven : the first `proven` rows are separable
    refused : the first `refused` rows are not separable; None where no such number is known
    contradiction : the rows that show it; None unless `separable` is False
    radius : R = max |(x0, x)|, rounded up
    margin : a margin (in (x0, x)) that a line has on all rows, rounded down; 0.0 for none
    mistake_bound : the most mistakes that the learner makes on rows of this R and margin; None
        where no margin is known
    """

    n: int
    mistakes: int
    delta: float
    risk_bound: float
    separable: bool | None
    proven: int
    refused: int | None
    contradiction: Contradiction | None
    radius: float
    margin: float
    mistake_bound: int | None

    @property
    def ceased_at(self) -> int | None:
        """The row, from 0, with which the rows ceased to be separable, where it is known."""
        return self.proven if self.refused == self.proven + 1 else None

    def _summary(self) -> Summary:
        rows = counted(self.n, "row")
        if self.separable is None:
            heading = f"{rows}: separable up to row {self.proven:,}, then not known"
        elif self.separable:
            heading = f"{rows}, separable so far, proven"
        elif self.ceased_at is not None:
            heading = f"{rows}, not separable from row {self.ceased_at:,} on, proven"
        else:
            heading = (
                f"{rows}, not separable, proven: they ceased to be after row "
                f"{self.proven:,} and by row {self.refused:,}"
            )
        facts = [("mistakes", figure(self.mistakes)), ("risk bound", figure(self.risk_bound))]
        if self.mistake_bound is not None:
            facts.append(("mistake bound", figure(self.mistake_bound)))
        if self.contradiction is not None:
            facts.append(("rows that contradict each other", places(self.contradiction.rows)))
        return Summary(heading, facts)


class Stream:
    """An online learner and a monitor of separability that read rows once, in memory that is flat.

    Rows are worked on in batches of a fixed number, counted from the first one, so that it does not
    matter how they come.

    Parameters
    ----------
    learner : Perceptron, AveragedPerceptron, MarginPerceptron or PassiveAggressive, not fitted
        With ``visit="cyclic"`` and no budget of updates. None for ``Perceptron()``. It is a copy
        that learns.
    classes : both labels, where the first rows may hold only one of them
    delta : of the risk bound
    keep : rows that the monitor keeps; None for 100 for each column, at most 32 MiB

    Examples
    --------
    >>> stream = Stream()
    >>> for X, y in [([[0, 0], [0, 1]], [0, 1]), ([[1, 0]], [1]), ([[1, 1]], [0])]:
    ...     verdict = stream.partial_fit(X, y).verdict
    >>> verdict.separable, verdict.ceased_at, verdict.contradiction.rows
    (False, 3, (0, 1, 2, 3))
    """

    def __init__(
        self, learner: Untyped = None, *, classes: ArrayLike = None, delta: float = 0.05,
        keep: int | None = None,
    ) -> None:  # fmt: skip
        self._learner = _checked(Perceptron() if learner is None else learner)
        self.classes_: Labels | None = None if classes is None else read_classes(classes)
        self.delta, self.keep = delta, keep
        online_to_batch_bound(1, 0, delta)  # refuses it
        self._waiting: list[tuple[Floats, Labels, Indices]] = []
        self._monitor: Monitor | None = None
        self._names: list[str] | None = None
        self._width = 0
        self._n = 0

    def partial_fit(self, X: ArrayLike, y: ArrayLike, *, numbers: ArrayLike = None) -> Stream:
        """Go on with rows X (N, d) and labels y (N,).

        Parameters
        ----------
        numbers : integers (N,) that rows are called by in a contradiction, ascending from call to
            call, such as the lines of a file; None for their count from 0

        Raises
        ------
        InputError
            For rows that cannot be used: then none of this call have been.
        """
        points, target = read_pair(X, y)
        names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
        n, d = points.shape
        if self._monitor is None:
            x0 = int(constant_of(self._learner))
            self._monitor, self._names = Monitor(d + x0, self.keep), names
            self._width = d
        if d != self._width or names != self._names:
            raise InputError(
                f"these rows have {d} columns and those before had {self._width}: every batch of a "
                "stream has the same columns, by the same names."
            )
        if self.classes_ is None:
            self._find_labels(target)
        if self.classes_ is not None:
            target = signs_of(target, self.classes_)
        called = self._n + np.arange(n) if numbers is None else np.asarray(numbers, dtype=np.int64)
        rows = self._batch_rows
        for start in range(0, n, rows):
            part = slice(start, start + rows)
            self._waiting.append((dense(points[part], "a batch"), target[part], called[part]))
            self._n += len(self._waiting[-1][1])
            if self.classes_ is not None:
                self._work_on(rows)
        return self

    def follow(
        self, source: Iterable[Untyped], *, label: str | None = None, every: int = BATCH
    ) -> Iterator[StreamVerdict]:
        """Read all that a stream yields; yield a verdict after each `every` rows and at the end.

        Parameters
        ----------
        source, label : see `batches_of`: pairs (X, y), mappings, Arrow batches
        every : rows, 1 or more; verdicts come after whole batches of the source
        """
        told = 0
        for X, y, *numbers in batches_of(source, label, min(every, BATCH)):
            self.partial_fit(X, y, numbers=numbers[0] if numbers else None)
            if self.classes_ is not None and self._n // every > told // every:
                told = self._n
                yield self.verdict
        if told < self._n:
            yield self.verdict

    def settle(
        self, read: Callable[[], Iterable[Untyped]], *, label: str | None = None
    ) -> StreamVerdict:
        """Read all rows again, several times, and return what is known then.

        For rows of which it is not known whether they are separable, or with which row they ceased
        to be; else nothing is read.

        Parameters
        ----------
        read : returns what yields the rows of the stream from the first one: see `batches_of`;
            pairs may have a third part, `numbers` as in `partial_fit`
        label : as in `follow`

        Raises
        ------
        InputError
            When these are not the rows of the stream.
        """
        whole = self._after_all_rows()
        self._learner, self._monitor, self._waiting = whole._learner, whole._monitor, []
        assert self._monitor is not None  # noqa: S101  # there were rows
        self._monitor.settle(lambda: self._signed(read(), label))
        return self.verdict

    def _signed(
        self, source: Iterable[Untyped], label: str | None
    ) -> Iterator[tuple[Sample, Indices]]:
        classes, n = self.classes_, 0
        assert classes is not None  # noqa: S101  # there were rows
        for X, y, *called in batches_of(source, label):
            points, target = read_pair(X, y)
            if points.shape[1] != self._width:
                raise InputError(NOT_THE_SAME)
            signs = signs_of(target, classes)
            numbers = called[0] if called else n + np.arange(len(signs))
            n += len(signs)
            for start in range(0, len(signs), self._batch_rows):
                part = slice(start, start + self._batch_rows)
                yield self._sample(dense(points[part], "a batch"), signs[part]), numbers[part]

    @property
    def verdict(self) -> StreamVerdict:
        """What is known of all rows so far.

        Raises
        ------
        InputError
            Before there were rows of both labels, or `classes`.
        """
        whole = self._after_all_rows()
        monitor, learner = whole._monitor, whole._learner
        assert monitor is not None  # noqa: S101  # there were rows
        n, mistakes, margin, radius = monitor.n, learner.n_mistakes, monitor.margin, monitor.radius
        return StreamVerdict(
            n=n, mistakes=mistakes, delta=self.delta,
            risk_bound=min(1.0, online_to_batch_bound(n, mistakes, self.delta)),
            separable=monitor.separable, proven=monitor.proven, refused=monitor.refused,
            contradiction=monitor.contradiction, radius=radius, margin=margin,
            mistake_bound=learner.bound_on_mistakes(radius, margin),
        )  # fmt: skip

    @property
    def learner(self) -> Untyped:
        """The learner after all rows so far; its `counts_` and `trace_` keep no rows."""
        learner = copy.copy(self._after_all_rows()._learner)
        if self._names is not None:
            learner.feature_names_in_ = np.array(self._names, dtype=object)
        return learner

    @property
    def _batch_rows(self) -> int:
        return max(1, min(BATCH, NUMBERS // (self._width + 1)))

    def _find_labels(self, target: Labels) -> None:
        seen = np.concatenate([*(labels for _, labels, _ in self._waiting), target])
        if (seen != seen[0]).any():
            self.classes_ = classes = read_labels(seen)[0]
            self._waiting = [(X, signs_of(y, classes), called) for X, y, called in self._waiting]
        elif seen.size > ONE_LABEL:
            raise InputError(
                f"the first {seen.size:,} rows have one label, {seen[0]!r}: say which the two are "
                "(classes=[no, yes])."
            )

    def _sample(self, X: Floats, signs: Floats) -> Sample:
        assert self.classes_ is not None  # noqa: S101  # they are known once rows have signs
        return Sample(X, signs, self.classes_, np.ones(len(signs)), constant_of(self._learner))

    def _work_on(self, least: int) -> None:
        while sum(len(y) for _, y, _ in self._waiting) >= max(1, least):
            X, y, called = (
                part[0] if len(part) == 1 else np.concatenate(part)
                for part in zip(*self._waiting, strict=True)
            )
            now, later = slice(self._batch_rows), slice(self._batch_rows, None)
            self._waiting = [(X[later], y[later], called[later])] if len(y[later]) else []
            sample = self._sample(np.ascontiguousarray(X[now]), y[now])
            self._learner.partial_fit_sample(sample).forget_rows()
            assert self._monitor is not None  # noqa: S101  # there were rows
            self._monitor.take(sample, called[now])

    def _after_all_rows(self) -> Stream:
        """Return this stream, or a copy that has worked on the rows that wait, too."""
        if self._n == 0:
            raise InputError("there were no rows yet.")
        if self.classes_ is None:
            label = self._waiting[0][1][0]
            raise InputError(
                f"all {self._n:,} rows so far have one label, {label!r}: there is nothing to "
                "separate them from. Say which the two labels are (classes=[no, yes])."
            )
        if not self._waiting:
            return self
        whole = copy.copy(self)
        whole._learner, whole._monitor = copy.copy(self._learner), copy.deepcopy(self._monitor)
        whole._work_on(1)
        return whole


def watch(
    source: Iterable[Untyped], learner: Untyped = None, *, label: str | None = None,
    classes: ArrayLike = None, every: int = BATCH, delta: float = 0.05,
) -> Iterator[StreamVerdict]:  # fmt: skip
    """Learn from all that a stream yields; yield a verdict after each `every` rows and at the end.

    The parameters are those of `Stream` and `Stream.follow`.

    Examples
    --------
    >>> rows = ({"x": x, "good": x > 2} for x in (1, 4, 0, 3))
    >>> [(v.n, v.separable) for v in watch(rows, label="good")]
    [(4, True)]
    """
    return Stream(learner, classes=classes, delta=delta).follow(source, label=label, every=every)


def _checked(learner: Untyped) -> Untyped:
    if not isinstance(learner, InBatches) or not hasattr(learner, "partial_fit"):
        raise InputError(
            f"{type(learner).__name__} cannot read a stream: use Perceptron, AveragedPerceptron, "
            "MarginPerceptron or PassiveAggressive with visit='cyclic' and no init='regression'."
        )
    if learner.max_updates is not None:
        raise InputError("a stream has no budget of updates: leave max_updates out.")
    if hasattr(learner, "coef_"):
        raise InputError(
            "this learner has been fitted: a stream begins with a new one; "
            "init=np.concatenate((model.intercept_, model.coef_[0])) goes on from its weights."
        )
    return copy.copy(learner)
