"""Tasks of the lab, and the grades of what is handed in."""

import csv
import io
import json

import numpy as np
import pytest

import separatrix as sx
from separatrix.course.homework import (
    SIGNS_OF_ZERO,
    built_in,
    grade,
    grades_csv,
    grades_of,
    read_task,
)
from separatrix.data import InputError

TASKS = {task.id: task for task in built_in()}
SLOW = [[1.0, 100.0, 1], [1.0, 99.5, -1], [-3.0, 98.0, 1], [3.0, 101.0, -1]]
XOR = [[0, 0, -1], [0, 1, 1], [1, 0, 1], [1, 1, -1]]


def run_of(task, points):
    """Return PLA on points, as a task asks for it."""
    table = np.array(points, dtype=float)
    return sx.Perceptron(
        visit=task.run["visit"], sign_of_zero=SIGNS_OF_ZERO[task.run["signOfZero"]],
        learning_rate=task.run["eta"], max_updates=task.run["maxUpdates"], max_iter=None,
    ).fit(table[:, :2], table[:, 2])  # fmt: skip


def right_answer(task):
    """Return an answer that is right, and the rows of the run."""
    if task.kind == "points":
        points = SLOW if task.asked["separable"] else XOR
        return points, run_of(task, points).trace_.rows.tolist()
    model = run_of(task, task.points)
    rows = model.trace_.rows.tolist()
    table = np.array(task.points)
    if task.kind == "updates":
        return model.n_updates_, rows
    if task.kind == "weights":
        steps = rows[: task.asked["step"]]
        w = sum(table[n, 2] * np.array([1.0, *table[n, :2]]) for n in steps)
        return (task.run["eta"] * w).tolist(), rows
    best = sx.MinimumErrorClassifier().fit(table[:, :2], table[:, 2])
    if task.kind == "fewest":
        return int(best.n_errors_), []
    return [*best.intercept_.tolist(), *best.coef_[0].tolist()], []


def file_of(task, answer, rows, **changed):
    made = {"format": "separatrix-hand-in", "version": 1, "task": task.id, "student": "Ann"}
    return json.dumps({**made, "answer": answer, "rows": rows, **changed})


def test_there_are_ten_tasks_in_two_languages():
    assert len(TASKS) == 10
    for task in TASKS.values():
        assert set(task.title) == set(task.text) == {"en", "zh-Hant"}


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")
def test_right_answers_are_right_and_others_wrong(name):
    task = TASKS[name]
    answer, rows = right_answer(task)
    assert grade(file_of(task, answer, rows), TASKS).why == "right"
    wrong = {"updates": 3, "weights": [1, 2, 3], "line": [1, 0, 0], "fewest": 5, "points": SLOW[:2]}
    assert not grade(file_of(task, wrong[task.kind], rows), TASKS).right
    assert not grade(file_of(task, "=1+1", rows), TASKS).right
    if rows:
        other = [*rows[:-1], (rows[-1] + 1) % 3]
        forged = grade(file_of(task, answer, other), TASKS)
        assert not forged.right
        assert "corrects row" in forged.why
        assert not grade(file_of(task, answer, rows[:-1]), TASKS).right


def broken(task, answer, rows):
    good = file_of(task, answer, rows)
    return [
        "", "null", "[]", "{}", good[:-1], good[:40], good.replace('"version": 1', '"version": 2'),
        good.replace("separatrix-hand-in", "separatrix-task"),
        file_of(TASKS["naive"], 1, rows),
        file_of(task, answer, rows, student=7), file_of(task, answer, rows, student="x" * 500),
        file_of(task, answer, rows, more=1), file_of(task, None, rows), file_of(task, True, rows),
        file_of(task, answer, "rows"), file_of(task, answer, [-1]), file_of(task, answer, [0.5]),
        file_of(task, answer, [10**9]), good.replace('"rows"', '"answer"'), "[" * 5000,
        file_of(task, 1, rows).replace('"answer": 1', '"answer": NaN'),
        file_of(task, 1, rows).replace('"answer": 1', '"answer": 1e999'),
        file_of(task, 1, rows).replace('"answer": 1', f'"answer": {"9" * 5000}'),
        file_of(task, 10**400, rows), file_of(task, [10**400, 0, 0], rows),
        file_of(task, [[1, 1, 1]] * 600, rows), file_of(task, [["1", 1, 1]], rows),
        file_of(task, [[1, 1, 2], [2, 2, 1]], rows), file_of(task, {"a": 1}, rows),
        good.replace("Ann", "\\ud800"),
    ]  # fmt: skip


@pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")
def test_of_200_files_every_one_is_judged_right(tmp_path):
    made, expected = {}, {}
    forged = [text for name in ("updates", "slow")
              for text in broken(TASKS[name], *right_answer(TASKS[name]))]  # fmt: skip
    for k, text in enumerate(forged[:40]):
        made[f"forged{k:03}.json"], expected[f"forged{k:03}.json"] = text, "no"
    answers = {name: right_answer(task) for name, task in TASKS.items()}
    for k in range(160):
        task = TASKS[list(TASKS)[k % 10]]
        answer, rows = answers[task.id]
        good = k % 4 != 3
        student = ("Ann", "=1+1", "林", "@b", "a\nb")[k % 5]
        text = file_of(task, answer if good else [answer], rows, student=student)
        made[f"{k:03}.json"], expected[f"{k:03}.json"] = text, "yes" if good else "no"
    for name, text in made.items():
        (tmp_path / name).write_text(text, "utf-8", errors="surrogatepass")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    expected["binary.json"] = "no"
    table = list(csv.DictReader(io.StringIO(grades_csv(grades_of(tmp_path, list(TASKS.values()))))))
    assert {row["file"]: row["right"] for row in table} == expected
    for row in table:
        assert not any(cell.startswith(("=", "@", "+", "-")) for cell in row.values())
        assert row["why"]


@pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")
def test_a_copied_answer_names_the_other_student(tmp_path):
    """A line and points are one's own; all who answer the other tasks rightly answer the same."""
    line, own = [-0.5, 1.25, 3.0], [*SLOW[:3], [3.5, 101.0, -1]]
    files = {
        "1": ("slow", SLOW, "Ann"), "2": ("slow", SLOW[::-1], "Bob"), "3": ("slow", own, "Cem"),
        "4": ("slow", SLOW, " ann "), "5": ("slow", SLOW, "=Dan"), "6": ("line", line, "Ann"),
        "7": ("line", line, "Bob"), "8": ("line", [1, *line[1:]], "Cem"),
        "9": ("no-line", XOR, "Bob"),
    }  # fmt: skip
    for name, (task, answer, student) in files.items():
        rows = run_of(TASKS[task], answer).trace_.rows.tolist() if task != "line" else []
        text = file_of(TASKS[task], answer, rows, student=student)
        (tmp_path / f"{name}.json").write_text(text, "utf-8")
    for student in ("Ann", "Bob"):
        task = TASKS["updates"]
        text = file_of(task, *right_answer(task), student=student)
        (tmp_path / f"u{student}.json").write_text(text)
    grades = grades_of(tmp_path, list(TASKS.values()))
    assert {g.file.split(".")[0]: g.same_as for g in grades} == {
        "1": "Bob", "2": "Ann", "3": "", "4": "Bob", "5": "Ann", "6": "Bob", "7": "Ann", "8": "",
        "9": "", "uAnn": "", "uBob": "",
    }  # fmt: skip


@pytest.mark.parametrize(("old", "new"), [
    ('"version": 1', '"version": 9'), ('"kind": "updates"', '"kind": "essay"'),
    ('"run": {}', '"run": {"visit": "sideways"}'), ('"run": {}', '"run": {"eta": 0}'),
    ('"run": {}', '"run": {"maxUpdates": 1e9}'), ('"id": "updates"', '"id": "../x"'),
    ('"asked": {}', '"asked": {"most": 1}'), ("1]", "3]"), ('"title"', '"text"'),
])  # fmt: skip
def test_bad_tasks_are_refused(old, new):
    text = json.dumps({
        "format": "separatrix-task", "version": 1, "id": "updates", "kind": "updates",
        "title": {"en": "a", "zh-Hant": "b"}, "text": {"en": "a", "zh-Hant": "b"}, "run": {},
        "asked": {}, "points": [[1, 2, 1], [2, 1, -1]],
    })  # fmt: skip
    assert read_task(text, "t").kind == "updates"
    assert old in text
    with pytest.raises(InputError, match="t is not a task"):
        read_task(text.replace(old, new, 1), "t")
