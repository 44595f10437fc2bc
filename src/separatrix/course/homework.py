"""Homework on the lab's page: tasks, and how what students hand in is graded.

A task is a JSON file: points, a question, and what is asked. The page checks an answer by computing
it again, and writes a file to hand in; `grade` runs every one of these again in the library.
"""

from __future__ import annotations

import math
import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path

import numpy as np

from separatrix._types import Untyped
from separatrix.data import InputError, SeparatrixWarning, shortened
from separatrix.inference.printing import csv_text
from separatrix.kernels.exact import count_mistakes
from separatrix.learners.perceptron import Perceptron
from separatrix.model.strict import Unusable, keys_of, read_text, strict_json
from separatrix.separation.decide import separability
from separatrix.zero_one.minimum_errors import minimum_errors

MOST_LETTERS = 200  # of a student's name


@dataclass(frozen=True)
class Grade:
    """Whether a file that was handed in is right, and why."""

    file: str  # file, student, task: as far as they could be read
    student: str
    task: str
    right: bool
    why: str  # a sentence
    # another student who handed in the same, where each has an answer of their own
    same_as: str = ""


@dataclass(frozen=True)
class _HandIn:
    """A file that was handed in, checked for its form."""

    student: str
    task: str
    answer: Untyped
    rows: list[int]


def grades_of(folder: str | Path, tasks: Sequence[Task]) -> list[Grade]:
    """Return the grades of all files of a folder, by their names."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder of files that were handed in.")
    paths = sorted(p for p in folder.iterdir() if p.is_file() and not p.name.startswith("."))
    if not paths:
        raise InputError(f"{folder} holds no file.")
    known = {task.id: task for task in tasks}
    judged = []
    for path in paths:
        try:
            judged.append(_judged(read_text(path, MOST_BYTES), known, path.name))
        except InputError as error:
            judged.append((Grade(path.name, "", "", right=False, why=str(error)), None))
    students: dict[Hashable, list[str]] = defaultdict(list)
    for found, answer in judged:
        students[answer].append(found.student)
    return [
        found if answer is None else replace(found, same_as=_other(found.student, students[answer]))
        for found, answer in judged
    ]


def _other(student: str, students: Sequence[str]) -> str:
    """Return the first of some students who is another one; "" where none is."""
    own = student.strip().casefold()
    return next((name for name in students if name.strip().casefold() != own), "")


def grades_csv(grades: Sequence[Grade]) -> str:
    """Return grades as CSV; text that a spreadsheet would run gets a quote mark before it."""
    header = ("file", "student", "task", "right", "why", "same as")
    said = {True: "yes", False: "no"}
    rows = ((g.file, g.student, g.task, said[g.right], g.why, g.same_as) for g in grades)
    return csv_text(header, ([_harmless(cell) for cell in row] for row in rows))


def _harmless(cell: str) -> str:
    printable = "".join(c if c.isprintable() else " " for c in cell)
    return f"'{printable}" if printable.lstrip("' ").startswith(("=", "+", "-", "@")) else printable


def grade(text: str, tasks: Mapping[str, Task], file: str = "") -> Grade:
    """Return the grade of a text that was handed in; whatever is wrong with it makes it wrong."""
    return _judged(text, tasks, file)[0]


def _judged(text: str, tasks: Mapping[str, Task], file: str) -> tuple[Grade, Hashable]:
    """Return a grade, and what was handed in where students have answers of their own."""
    try:
        made = _hand_in(strict_json(text))
    except Unusable as error:
        return Grade(file, "", "", right=False, why=f"not a file of the lab: {error}"), None
    task = tasks.get(made.task)
    if task is None:
        return Grade(file, made.student, made.task, right=False, why="the task is not known"), None
    answer: Hashable = None
    try:
        why = KINDS[task.kind](task, made)
        if task.kind == "line":
            answer = task.id, *_three(made.answer)
        if task.kind == "points":  # in any order
            answer = task.id, *sorted(points_of(made.answer))
    except Unusable as error:
        why = str(error)
    return Grade(file, made.student, task.id, right=not why, why=why or "right"), answer


def _hand_in(data: Untyped) -> _HandIn:
    keys = {"format", "version", "task", "student", "answer", "rows"}
    fields = keys_of(data, keys, "the file")
    if (fields["format"], fields["version"]) != ("separatrix-hand-in", 1):
        raise Unusable("its format is not separatrix-hand-in, version 1")
    for name in ("task", "student"):
        if not isinstance(fields[name], str) or len(fields[name]) > MOST_LETTERS:
            raise Unusable(f"its {name} is no text of at most {MOST_LETTERS} letters")
    rows = fields["rows"]
    if not isinstance(rows, list) or len(rows) > MOST_UPDATES:
        raise Unusable(f"its rows are no list of at most {MOST_UPDATES}")
    checked = [whole_number(n, "a row", 0, MOST_UPDATES) for n in rows]
    return _HandIn(fields["student"], fields["task"], fields["answer"], checked)


def _ran(points: Points, run: Mapping[str, Untyped]) -> Perceptron:
    model = Perceptron(
        visit=run["visit"],
        sign_of_zero=SIGNS_OF_ZERO[run["signOfZero"]],
        learning_rate=float(run["eta"]),
        max_updates=int(run["maxUpdates"]),
        max_iter=None,
        random_state=int(run["seed"]),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparatrixWarning)
        return model.fit(*_arrays(points))


def _arrays(points: Points) -> tuple[Untyped, Untyped]:
    table = np.array(points, dtype=np.float64)
    return table[:, :2], table[:, 2]


def _same_path(model: Perceptron, made: _HandIn) -> str:
    """Return "" where the rows that were visited are the library's."""
    rows = model.trace_.rows.tolist()
    if rows == made.rows:
        return ""
    first = next((t for t, (a, b) in enumerate(zip(rows, made.rows, strict=False)) if a != b), None)
    if first is None:
        return f"the trace has {len(made.rows)} updates, the run has {len(rows)}"
    return (
        f"update {first + 1} of the trace corrects row {made.rows[first] + 1}, "
        f"the run corrects row {rows[first] + 1}"
    )


def _updates(task: Task, made: _HandIn) -> str:
    answer = whole_number(made.answer, "the answer", 0, MOST_UPDATES)
    model = _ran(task.points, task.run)
    if answer != model.n_updates_:
        return f"the answer is {answer}; PLA makes {model.n_updates_} updates"
    return _same_path(model, made)


def _weights(task: Task, made: _HandIn) -> str:
    answer = _three(made.answer)
    step = int(task.asked["step"])
    model = _ran(task.points, task.run)
    w = np.zeros(3)
    for n in model.trace_.rows[:step]:
        x1, x2, label = task.points[n]
        w = w + label * np.array([1.0, x1, x2])
    right = [float(a) * float(task.run["eta"]) for a in w]
    if answer != right:
        return f"the answer is {_shown(answer)}; after {step} updates w is {_shown(right)}"
    return _same_path(model, made)


def _line(task: Task, made: _HandIn) -> str:
    answer = _three(made.answer)
    wrong = int(count_mistakes(*_arrays(task.points), np.array(answer), 1.0))
    most = int(task.asked["most"])
    return f"the line makes {wrong} mistakes; at most {most} were asked for" * (wrong > most)


def _fewest(task: Task, made: _HandIn) -> str:
    answer = whole_number(made.answer, "the answer", 0, MOST_UPDATES)
    bracket = minimum_errors(*_arrays(task.points))
    if bracket.lower != bracket.upper:
        raise Unusable("the fewest mistakes were not found")
    least = int(bracket.upper)
    return "" if answer == least else f"the answer is {answer}; the fewest mistakes are {least}"


def _points(task: Task, made: _HandIn) -> str:
    points, asked = points_of(made.answer), task.asked
    if {label for _, _, label in points} != {-1, 1}:
        return "the points have one label only"
    if not asked.get("least_points", 0) <= len(points) <= asked.get("most_points", math.inf):
        return f"there are {len(points)} points, which is not what was asked for"
    if "separable" in asked:
        separable = separability(*_arrays(points)).verdict == "separable"
        if separable != asked["separable"]:
            return f"{'a' if separable else 'no'} line separates the points"
    model = _ran(points, task.run)
    least, most = asked.get("least_updates", 0), asked.get("most_updates", math.inf)
    if not least <= model.n_updates_ <= most:
        return f"PLA makes {model.n_updates_} updates, which is not what was asked for"
    return _same_path(model, made)


KINDS: Mapping[str, Callable[[Task, _HandIn], str]] = {
    "updates": _updates,
    "weights": _weights,
    "line": _line,
    "fewest": _fewest,
    "points": _points,
}


def _three(answer: Untyped) -> list[float]:
    if not isinstance(answer, list) or len(answer) != 3 or not all(map(_is_number, answer)):
        raise Unusable("the answer is not three numbers, w_0 first")
    numbers = [float(a) for a in answer if abs(a) < 1e300]  # far from overflow
    if len(numbers) != 3:
        raise Unusable(f"the answer {shortened(repr(answer))} is too large")
    return numbers


def _shown(weights: Sequence[float]) -> str:
    return "(" + ", ".join(f"{a:.6g}" for a in weights) + ")"


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
    tasks = [read_task(read_text(p, MOST_BYTES), str(p)) for p in paths]
    names = [task.id for task in tasks]
    if twice := {name for name in names if names.count(name) > 1}:
        raise InputError(f"{path} has the task {sorted(twice)[0]} twice.")
    return tasks


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
        if name != "separable" or not isinstance(value, bool):
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
