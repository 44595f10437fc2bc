"""Homework in the page: answered, checked, handed in, and graded by the library."""

import json

import pytest

from separatrix.course.homework import grade
from tests.browser import needs_chromium, until
from tests.course.test_homework import TASKS, right_answer

pytestmark = [needs_chromium, pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")]


def typed(answer):
    return ", ".join(map(repr, answer)) if isinstance(answer, list) else str(answer)


def handed_in(page):
    """Return the text of the file to hand in, which bears the task and the name."""
    with page.expect_download() as download:
        page.click("#hand-in")
    assert download.value.suggested_filename.endswith("-林-Ann.json")
    assert page.inner_text("#answered").endswith(f"Saved as {download.value.suggested_filename}.")
    return download.value.path().read_text("utf-8")


def test_every_task_is_checked_as_the_library_grades_it(opened):
    page = opened()
    for name, task in TASKS.items():
        page.select_option("#task", name)
        assert task.text["en"] in page.inner_text("#task-text")
        answer, _ = right_answer(task)
        if task.kind == "points":
            points = "~".join(f"{'o' if y > 0 else 'x'}{a}_{b}" for a, b, y in answer)
            page.evaluate("text => { location.hash = text; }", f"#p={points}&l=pla")
            until(
                page, f"document.querySelectorAll('#plane .numbers text').length === {len(answer)}"
            )
        else:
            page.fill("#answer", "abc")
            page.click("#answering [type=submit]")
            assert page.inner_text("#answered").startswith("Type ")
            page.fill("#answer", "99, 9, 9" if isinstance(answer, list) else "99")
            page.click("#answering [type=submit]")
            assert page.inner_text("#answered") == "Not right yet."
            page.fill("#student", "林 Ann")
            assert not grade(handed_in(page), TASKS).right
            page.fill("#answer", typed(answer))
        page.fill("#student", "林 Ann")
        page.click("#answering [type=submit]")
        assert page.inner_text("#answered") == "Right."
        found = grade(handed_in(page), TASKS)
        assert (found.right, found.student, found.why) == (True, "林 Ann", "right")


def test_nothing_is_handed_in_without_a_name(opened):
    page = opened()
    page.select_option("#task", "updates")
    page.fill("#answer", "47")
    page.click("#hand-in")
    assert page.inner_text("#answered") == "Type your name first."


def test_a_task_file_is_taken_and_a_bad_one_refused(opened, tmp_path):
    page = opened()
    bad = tmp_path / "bad.json"
    for text in ("", "{}", "[1]", '{"format": "separatrix-task"}', "<script>", "9" * 300_000):
        bad.write_text(text)
        page.set_input_files("#task-file", [])
        page.evaluate("document.getElementById('answered').textContent = ''")
        page.set_input_files("#task-file", bad)
        until(page, "() => document.getElementById('answered').textContent !== ''")
        assert page.inner_text("#answered") == "This file is not a task."
    good = tmp_path / "good.json"
    good.write_text(json.dumps({
        "format": "separatrix-task", "version": 1, "id": "mine", "kind": "updates",
        "title": {"en": "<b>Mine", "zh-Hant": "我的"},
        "text": {"en": "How <i>many?", "zh-Hant": "？"},
        "run": {}, "asked": {}, "points": [[1, 1, 1], [-1, -1, -1]],
    }), "utf-8")  # fmt: skip
    page.set_input_files("#task-file", good)
    until(page, "() => document.getElementById('task').value === 'mine'")
    assert page.inner_text("#task-text").startswith("How <i>many? Its points are on the plane now")
