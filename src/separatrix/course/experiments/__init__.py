"""Experiments of the course on made data: a file each, and one line in the table below."""

from __future__ import annotations

from collections.abc import Mapping

from separatrix._types import Untyped
from separatrix.course.datasets.points import whole_number
from separatrix.course.experiments import bound, eta, learning_curve, noise, pocket_cost, warm_start
from separatrix.course.experiments.kind import Column, Experiment, Kind, Parameter, Progress, Runs
from separatrix.data import InputError

EXPERIMENTS: Mapping[str, Kind] = {
    module.KIND.name: module.KIND
    for module in (learning_curve, bound, noise, warm_start, pocket_cost, eta)
}


def experiment(
    name: str, *, seed: int = 0, progress: Progress | None = None, **parameters: Untyped
) -> Experiment:
    """Run one of the course's experiments on made data.

    The same parameters and seed give the same figures (but for milliseconds, named so).

    Parameters
    ----------
    name : {"learning-curve", "bound", "noise", "warm-start", "pocket-cost", "eta"}
    seed : int, from 0 up
    progress : callable (parts done, parts in all) or None
    **parameters
        Those of the experiment, see ``EXPERIMENTS[name].parameters``; the rest have defaults.

    Raises
    ------
    InputError
        For unknown names and invalid parameters.

    Examples
    --------
    >>> found = experiment("bound", margins=(0.5, 0.1), repeats=3)
    >>> found.column("above its bound").tolist()
    [0.0, 0.0]
    """
    kind = EXPERIMENTS.get(name)
    if kind is None:
        raise InputError(f"there is no experiment {name!r}: there are {', '.join(EXPERIMENTS)}.")
    known = {p.name: p for p in kind.parameters}
    for key in parameters:
        if key not in known:
            raise InputError(f"{name} has no parameter {key!r}: it has {', '.join(known)}.")
    asked = {key: p.read(parameters.get(key, p.default)) for key, p in known.items()}
    seed = whole_number("seed (--seed)", seed, 0)
    return kind.experiment(asked, Runs(seed, progress or (lambda *_: None)))
