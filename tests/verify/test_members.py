"""Members of a proof by themselves, and what limits, files and alarms do."""

import signal
import time

import pytest

from separatrix import verify
from separatrix.verify import CannotCheck, Refuted, read_table
from tests.verify.by_hand import csv_of, proof_of

THREE = csv_of([(0, "n"), (1, "y"), (2, "n")])


@pytest.mark.parametrize(
    ("rows", "multipliers", "error"),
    [
        ([], [], CannotCheck),
        ([0, 0], ["1", "1"], CannotCheck),
        ([0, True], ["1", "1"], CannotCheck),
        ([0, 3], ["1", "1"], CannotCheck),
        ([0, -1], ["1", "1"], CannotCheck),
        ([0, 1], ["1"], CannotCheck),
        ([0, 1], {"0": "1", "1": "1"}, CannotCheck),
        ([0, 1], ["1", "0"], Refuted),
        ([0, 1], ["-1", "1"], Refuted),
        ([0, 1], ["1", "1/2"], Refuted),
    ],
)
def test_multipliers_are_checked_where_they_are_used_too(rows, multipliers, error):
    table = read_table(THREE, proof_of(THREE, []))
    good = verify.Part({"rows": [0, 2], "multipliers": ["1", "2"]})
    assert good.multipliers(table) == ([0, 2], [1, 2])
    with pytest.raises(error):
        verify.Part({"rows": rows, "multipliers": multipliers}).multipliers(table)


@pytest.mark.parametrize("value", [True, None, [], "", "F", "1/0", "1.5", "f" * 2**16 + "f"])
def test_what_is_no_number_is_not_read_as_one(value):
    assert verify.rational("f" * 2**16) == 16**2**16 - 1
    with pytest.raises(CannotCheck):
        verify.rational(value)


def test_members_are_of_the_kind_that_they_must_be():
    part = verify.Part({"truth": True, "text": "1", "list": ["a", 1]})
    assert part.get("truth", bool) is True
    for key, kind in (("truth", int), ("text", int), ("text", list), ("none", str)):
        with pytest.raises(CannotCheck, match=f"{key!r} in the proof"):
            part.get(key, kind)
    with pytest.raises(CannotCheck, match="no list of text"):
        part.texts("list")
    with pytest.raises(CannotCheck, match="of the wrong kind"):
        part.part("list")


@pytest.mark.parametrize(("path", "why"), [(".", "is no file"), ("x" * 5000, "cannot be read")])
def test_what_is_no_file_cannot_be_checked(path, why):
    code, answer = verify.check_files(path, path)
    assert code == verify.CANNOT_CHECK
    assert why in answer


def test_an_alarm_that_rings_late_is_an_answer_too(monkeypatch):
    def slow(*_):
        time.sleep(0.5)  # longer than the alarm waits
        return 0, "VERIFIED"

    monkeypatch.setattr(verify, "check_files", slow)
    code, answer = verify.check_as_a_command("p", "t", 0.01, 2.0**30)
    assert (code, answer[:12]) == (verify.CANNOT_CHECK, "CANNOT CHECK")
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
