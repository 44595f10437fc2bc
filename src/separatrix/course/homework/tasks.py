"""A task: the points that are given, the run that is asked about, and the question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from separatrix._types import Untyped
from separatrix.data import InputError, shortened
from separatrix.model.strict import Unusable, keys_of, strict_json

MOST_POINTS = 500
MOST_UPDATES = 20_000
LARGEST = 1e12  # of a coordinate
MOST_BYTES = 2_000_000
VISITS = ("cyclic", "naive", "permuted", "random")
SIGNS_OF_ZERO: Mapping[str, int | str] = {"mistake": "mistake", "yes": 1, "no": -1}
WISHES = ("separable", "least_points", "most_points", "least_updates", "most_updates")

Points = list[tuple[float, float, int]]


@dataclass(frozen=True)
class Task:
    """What students are asked."""

    id: str  # letters, digits and hyphens
    title: Mapping[str, str]  # title, text: {language: words}
    text: Mapping[str, str]
    points: Points  # (x_1, x_2, label) with labels -1 and +1
    # the parameters of PLA, by their names on the page
    run: Mapping[str, Untyped] = field(default_factory=dict)
    kind: str = "updates"  # "updates", "weights", "line", "fewest" or "points"
    # what the kind needs besides: "step" of "weights", "most" of "line", wishes of "points"
    asked: Mapping[str, Untyped] = field(default_factory=dict)


def read_task(text: str, name: str) -> Task:
    try:
        return _task(strict_json(text))
    except Unusable as error:
        raise InputError(f"{name} is not a task: {error}.") from None


def built_in() -> list[Task]:
    """Return the ten tasks that come with the lab, by their names."""
    folder = files("separatrix.lab") / "tasks"
    texts = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
    return [read_task(texts[name], name) for name in sorted(texts)]


def tasks_in(path: str | Path) -> list[Task]:
    """Return the tasks of a file, or of all .json files of a folder."""
    path = Path(path)
    paths = sorted(path.glob("*.json")) if path.is_dir() else [path]
    tasks = [read_task(text_of(p), str(p)) for p in paths]
    names = [task.id for task in tasks]
    if twice := {name for name in names if names.count(name) > 1}:
        raise InputError(f"{path} has the task {sorted(twice)[0]} twice.")
    return tasks


def text_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}).") from None
    if len(data) > MOST_BYTES:
        raise InputError(f"{path} is larger than {MOST_BYTES:,} bytes.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text.") from None


def _task(data: Untyped) -> Task:
    keys = {"format", "version", "id", "title", "text", "points", "run", "kind", "asked"}
    fields = keys_of(data, keys, "the file")
    if (fields["format"], fields["version"]) != ("separatrix-task", 1):
        raise Unusable("its format is not separatrix-task, version 1")
    if not isinstance(fields["id"], str) or not re.fullmatch(r"[a-z0-9-]{1,60}", fields["id"]):
        raise Unusable("its id is not of small letters, digits and hyphens")
    for name in ("title", "text"):
        words = keys_of(fields[name], {"en", "zh-Hant"}, name)
        if not all(isinstance(text, str) for text in words.values()):
            raise Unusable(f"its {name} is no text")
    points = points_of(fields["points"])
    run, kind, asked = run_of(fields["run"]), fields["kind"], fields["asked"]
    wanted = {"weights": {"step"}, "line": {"most"}, "points": set(WISHES)}
    if kind not in ("updates", "fewest", *wanted) or not isinstance(asked, dict):
        raise Unusable("its kind is not updates, weights, line, fewest or points")
    if not set(asked) <= wanted.get(kind, set()) or (kind in ("weights", "line") and not asked):
        raise Unusable(f"a question of the kind {kind} does not ask for this")
    for name, value in asked.items():
        if name == "separable" and isinstance(value, bool):
            continue
        whole_number(value, name, 0, MOST_UPDATES)
    if kind != "points" and {label for _, _, label in points} != {-1, 1}:
        raise Unusable("its points have one label only")
    return Task(fields["id"], fields["title"], fields["text"], points, run, kind, asked)


def points_of(data: Untyped) -> Points:
    """Return points (x_1, x_2, label), or raise `Unusable`."""
    if not isinstance(data, list) or len(data) > MOST_POINTS:
        raise Unusable(f"its points are no list of at most {MOST_POINTS}")
    points = []
    for row, item in enumerate(data, 1):
        if not isinstance(item, list) or len(item) != 3:  # x_1, x_2, label
            raise Unusable(f"point {row} is not x_1, x_2 and a label")
        if not all(_is_number(a) and abs(a) <= LARGEST for a in item[:2]):
            raise Unusable(f"point {row} has a coordinate that is not a number up to {LARGEST:g}")
        if isinstance(item[2], bool) or item[2] not in (-1, 1):
            raise Unusable(f"point {row} has a label that is not -1 or 1")
        points.append((float(item[0]), float(item[1]), int(item[2])))
    return points


def run_of(data: Untyped) -> dict[str, Untyped]:
    """Return the parameters of a run of PLA, or raise `Unusable`."""
    usual = {"visit": "cyclic", "signOfZero": "mistake", "eta": 1.0, "seed": 0, "maxUpdates": 2000}
    if not isinstance(data, dict) or not set(data) <= set(usual):
        raise Unusable(f"its run has other parameters than {', '.join(usual)}")
    run = {**usual, **data}
    if run["visit"] not in VISITS or run["signOfZero"] not in SIGNS_OF_ZERO:
        raise Unusable("its run has an unknown order of visits or sign of zero")
    if not _is_number(run["eta"]) or not 1e-9 <= run["eta"] <= 1e9:
        raise Unusable("its run has a learning rate outside 1e-9 to 1e9")
    whole_number(run["seed"], "seed", 0, 2**32 - 1)
    whole_number(run["maxUpdates"], "maxUpdates", 0, MOST_UPDATES)
    return run


def whole_number(value: Untyped, name: str, least: int, most: int) -> int:
    """Return a whole number in a range, or raise `Unusable`."""
    if not _is_number(value) or value != int(value) or not least <= value <= most:
        given = shortened(repr(value))
        raise Unusable(f"{name} is {given}, not a whole number from {least} to {most}")
    return int(value)


def _is_number(value: Untyped) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
