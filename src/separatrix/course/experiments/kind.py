"""What an experiment is, and what comes of one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar, get_type_hints

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.course.datasets.points import number, whole_number
from separatrix.data import Floats, InputError
from separatrix.notebook import data_frame

T = TypeVar("T")
Number = int | float | None
Progress = Callable[[int, int], None]
"""Called with (parts done, parts in all)."""

SEEDS = 2**20  # of one experiment: seeds of different experiments' seeds never meet


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the table that an experiment fills."""

    name: str  # of the column, short
    about: str  # what the figure is, in a sentence's end
    timed: bool = False  # whether it is seconds of this machine, which differ from run to run


@dataclass(frozen=True, slots=True)
class Experiment:
    """The result of an experiment.

    Parameters
    ----------
    name : of the experiment
    about : what was done, in sentences
    settings : every parameter, the seed among them: the same ones give the same figures
    columns : of the table
    rows : the figures, a row each; None where there is none
    found : what they show, in sentences made from the figures
    """

    name: str
    about: tuple[str, ...]
    settings: Mapping[str, Any]
    columns: tuple[Column, ...]
    rows: tuple[tuple[Number, ...], ...]
    found: tuple[str, ...]

    def to_frame(self) -> Untyped:
        """Return the table as a data frame, NaN where there is no figure."""
        names = [column.name for column in self.columns]
        return data_frame({name: self.column(name) for name in names})

    def column(self, name: str) -> Floats:
        """Return one column (rows,), NaN where there is no figure.

        Raises
        ------
        InputError
            When no column has that name.
        """
        names = [column.name for column in self.columns]
        if name not in names:
            raise InputError(f"the experiment has no column {name!r}: it has {', '.join(names)}.")
        k = names.index(name)
        return np.array([np.nan if row[k] is None else row[k] for row in self.rows], np.float64)


class Least(NamedTuple):
    """What a parameter of `run` is annotated with: the least it can be, and what it is."""

    least: float
    about: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an experiment: a whole number, a number, or several, like its default."""

    name: str  # as a keyword; on the command line with hyphens
    default: int | float | tuple[int | float, ...]  # values must be of its type
    least: float  # a whole number, or each of several, is at least this
    about: str  # what it is

    def read(self, value: Untyped) -> Untyped:
        """Return value as the kind of number it should be, or `InputError`."""
        what = f"{self.name} (--{self.name.replace('_', '-')})"
        if not isinstance(self.default, tuple):
            return self._one(what, value, self.default)
        if isinstance(value, str):
            value = value.split(",")
        values = value if isinstance(value, tuple | list | np.ndarray) else (value,)
        if len(values) == 0:
            raise InputError(f"{what} must hold a number at least.")
        return tuple(self._one(what, one, self.default[0]) for one in values)

    def _one(self, what: str, value: Untyped, like: float) -> int | float:
        if isinstance(value, str):  # of the command line
            with contextlib.suppress(ValueError):
                value = type(like)(value)
        if isinstance(like, int):
            return whole_number(what, value, int(self.least))
        return number(what, value, self.least)


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of an experiment: their seeds, and progress."""

    seed: int
    progress: Progress

    def each(self, values: Sequence[T], repeats: int = 1) -> Iterator[tuple[T, Iterator[int]]]:
        """Yield every value, with the seeds of its repeats: the same for all values."""
        parts = len(values) * repeats
        for k, value in enumerate(values):
            yield value, self._seeds(k * repeats, repeats, parts)
        self.progress(parts, parts)

    def _seeds(self, done: int, repeats: int, parts: int) -> Iterator[int]:
        for repeat in range(repeats):
            self.progress(done + repeat, parts)
            yield self.seed * SEEDS + repeat


@dataclass(frozen=True, slots=True)
class Findings:
    """What a run returns; `Experiment` adds the parameters."""

    about: str
    rows: Sequence[tuple[Number, ...]]
    found: str
    columns: tuple[Column, ...] = ()  # behind those of the kind
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kind:
    """An experiment that can be run."""

    name: str  # what the command line calls it
    about: str  # what it shows, in one sentence
    columns: tuple[Column, ...]  # of its table
    # called with `Runs`, and every parameter by name; each has a default and a `Least`
    run: Callable[..., Findings]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of `run`."""
        known = get_type_hints(self.run, include_extras=True)
        return tuple(
            Parameter(name, default, *known[name].__metadata__[0])
            for name, default in (self.run.__kwdefaults__ or {}).items()
        )

    def experiment(self, asked: Mapping[str, Any], runs: Runs) -> Experiment:
        findings = self.run(runs, **asked)
        settings = {name: list(a) if isinstance(a, tuple) else a for name, a in asked.items()}
        return Experiment(
            self.name,
            (findings.about,),
            {**settings, "seed": runs.seed, **findings.settings},
            (*self.columns, *findings.columns),
            tuple(findings.rows),
            (findings.found,),
        )


def state_of(own: int) -> int:
    """Return the random state of a learner for the seed of a repeat, which may be any length."""
    return own % 2**32


def mean(values: ArrayLike) -> float:
    return float(np.mean(values))


def standard_error(values: ArrayLike) -> float | None:
    """Return the standard error of the mean; None for a single value."""
    values = np.asarray(values, dtype=np.float64)
    return None if values.size < 2 else float(values.std(ddof=1) / np.sqrt(values.size))
