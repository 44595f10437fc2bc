"""`separatrix grade`."""

import pytest

from tests.course.test_homework import TASKS, file_of, right_answer

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")


def test_a_folder_is_graded(run, tmp_path):
    folder, task = tmp_path / "in", TASKS["updates"]
    folder.mkdir()
    (folder / "a.json").write_text(file_of(task, *right_answer(task)))
    (folder / "b.json").write_text("no")
    code, out, err = run("grade", folder)
    assert code == 0
    assert [line.split(",")[3] for line in out.splitlines()] == ["right", "yes", "no"]
    assert "1 of 2 files are right" in err
    code, out, _ = run("grade", folder, "-o", tmp_path / "grades.csv", "-q")
    assert (code, out) == (0, "")
    assert (
        (tmp_path / "grades.csv")
        .read_text()
        .startswith("file,student,task,right,why,same as\na.json")
    )
