"""Tables of one's own, homework, and what is shared, driven as a person would, in both browsers."""

import csv
import re
import struct

import pytest

import separatrix as sx
from separatrix import cli
from tests.lab.places import everywhere

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")

TABLE = """name;height;weight;age;member
'x;1;2;9;no
"u;v";3;4;8;yes
;5;;7;yes
z;6;7;6;yes
q;2;9;x;no
p;-1;0.5;2;no
r;0;1
"""


def read(person):
    """Wait until a table was read, and return what is said of it."""
    person.until("document.getElementById('table-note').textContent !== ''")
    return person.text("#table-note")


def learnt(*command):
    with pytest.raises(SystemExit) as left:
        cli.main(list(command))
    return left.value.code


def chooser(k):
    """Return the selector of the k-th list beside a table."""
    return f"#columns label:nth-child({k}) select"


@pytest.mark.parametrize("way", ["choose", "drop"])
def test_a_table_is_read_its_columns_are_chosen_and_its_rows_are_counted(person, tmp_path, way):
    path = tmp_path / "members.csv"
    path.write_text(TABLE)
    person.open()
    if way == "drop":
        person.drop("members.csv", TABLE, "#plane")
    else:
        person.give("#file", path)
    said = read(person)
    assert "4 rows used; 2 left out" in said or "5 rows used; 1 left out" in said
    assert "1 rows have another number of cells" in said
    assert [person.value(chooser(k)) for k in (1, 2)] == ["4", "yes"]
    person.choose(chooser(2), "no")
    person.choose(chooser(3), "1")
    person.choose(chooser(4), "2")
    said = read(person)
    assert "5 rows used; 1 left out" in said
    assert "Missing by column: weight (1)." in said
    assert sorted(person.points()) == sorted(
        [(1, 2, "o"), (3, 4, "x"), (6, 7, "x"), (2, 9, "o"), (-1, 0.5, "o")]
    )
    names = "[...document.querySelectorAll('#plane .axis')].map((t) => t.textContent)"
    assert person.see(names) == ["height", "weight"]
    X, y = person.arrays()
    assert person.verdict() == sx.separability(X, y).verdict
    assert "separatrix learn FILE --label member --yes no" in person.text("#all-columns")
    person.choose(chooser(3), "3")
    assert "age (1)" in read(person)
    person.choose(chooser(3), "-1")
    assert person.value(chooser(4)) == "-2"
    assert "The directions are of all columns of numbers" in read(person)


def test_the_command_for_all_columns_and_that_for_the_points_give_the_verdict(
    person, tmp_path, capsys
):
    rows = TABLE.replace(";x;", ";3;").splitlines()
    table = "\n".join(row for row in rows if row.count(";") == 4 and ";;" not in row) + "\n"
    (tmp_path / "members.csv").write_text(table.replace('"u;v"', "u"))
    person.open()
    person.drop("members.csv", table.replace('"u;v"', "u"))
    read(person)
    command = person.text("#all-columns").splitlines()[-1].split()
    assert command[:3] == ["separatrix", "learn", "FILE"]
    path = str(tmp_path / "members.csv")
    assert learnt("learn", path, *command[3:], "--drop", "name", "-q") == 0
    saved = person.saved("#save-csv")
    command = person.text("#command").split()
    assert command[:3] == ["separatrix", "learn", saved.name]
    capsys.readouterr()
    assert learnt("learn", str(saved), *command[3:]) == 0
    assert person.verdict() == "separable"
    assert "Separable     yes (proven)" in capsys.readouterr().out


def test_a_file_that_is_no_table_is_an_error_and_the_page_goes_on(person, tmp_path):
    person.open("#p=o2_2~x-2_-2&l=pla")
    for name, text in (("empty.csv", ""), ("one.csv", "a\n1\n"), ("words.csv", "a,b\nx,y\nz,w\n")):
        person.script("() => document.getElementById('table-note').replaceChildren()")
        person.drop(name, text)
        assert "no table that can be shown" in read(person)
        person.until(
            "((r) => r.top >= 0 && r.bottom <= innerHeight + 1)"
            "(document.getElementById('table-note').getBoundingClientRect())"
        )
    assert len(person.points()) == 2
    person.choose("#presets", "exXor")
    assert person.verdict() == "overlapping"


@everywhere
def test_the_link_opens_the_same_run(person):
    person.open("#p=o2_2.125~o3_1~x-2_-2~x-1_-3&l=pla&visit=random&seed=5&eta=0.5")
    shown = person.text("#python"), person.text("#weights")
    person.click("#link")
    person.until("document.getElementById('shared').textContent !== ''")
    link = person.text("#shared")
    if link == "Copied.":
        person.choose("#task", "updates")
        person.click("#student")
        person.press("v", "Control")
        person.until("document.getElementById('student').value !== ''")
        link = person.value("#student")
    assert link.startswith(person.address)
    person.go("about:blank")
    person.go(link)
    person.until("document.documentElement.dataset.ready === 'yes'")
    assert (person.text("#python"), person.text("#weights")) == shown
    assert "random_state=5" in shown[0]


@everywhere
def test_the_picture_and_the_points_are_saved(person):
    person.open("#e=exXor&l=dual")
    picture = person.saved("#save-svg").read_text("utf-8")
    assert picture.startswith("<svg")
    assert "<script" not in picture
    assert len(re.findall(r"<path", picture)) > 3
    png = person.saved("#save-png").read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", png[16:24]) == (1200, 1200)
    assert len(png) > 5000
    rows = list(csv.DictReader(person.saved("#save-csv").read_text().splitlines()))
    assert [(float(r["x1"]), float(r["x2"]), r["label"]) for r in rows] == [
        (0, 0, "no"), (0, 1, "yes"), (1, 0, "yes"), (1, 1, "no")
    ]  # fmt: skip
