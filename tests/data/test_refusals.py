"""Messages name Python's parameters in Python, and options in a shell: one text for both."""

import pytest

from separatrix import InputError, SeparatrixWarning, judge, read_table
from separatrix.data import typed
from separatrix.data.refusals import in_python


@pytest.mark.parametrize(("shell", "python"), [
    ("with --label NAME.", "with label=NAME."),
    ("no column 'x' (--label). Nearest", "no column 'x' (label). Nearest"),
    ("use --missing fill, or", 'use missing="fill", or'),
    ("leave it out with --drop 'a b'.", "leave it out with drop=['a b']."),
    ("with --text COLUMN or --drop COLUMN", "with text=[COLUMN] or drop=[COLUMN]"),
    ("--parse dates,day-first or", 'parse=["dates", "day-first"] or'),
    ("--parse money,percent,thousands.", 'parse=["money", "percent", "thousands"].'),
    ("--parse takes money, dates; it", "parse takes money, dates; it"),
    ("--yes 'q' is not among", "yes='q' is not among"),
    ("with --yes VALUE; or", "with yes=VALUE; or"), ("use --fold-case.", "use fold_case=True."),
    ("--no-header reads", "header=False reads"), ("--group-rare must be", "group_rare must be"),
    ("--decimal , ; if it groups", 'decimal="," ; if it groups'),
    ("for example with --encoding latin-1 or", 'for example with encoding="latin-1" or'),
    ("Try --encoding.", "Try encoding."), ("--multiclass ova (each)", 'multiclass="ova" (each)'),
    ("rows (--rows) must be", "rows (--rows) must be"),
    ("column '--missing fill' has 'a --drop b'", "column '--missing fill' has 'a --drop b'"),
    ("the file's --label 'x'", "the file's label='x'"), ("a---b --- c -- d", "a---b --- c -- d"),
])  # fmt: skip
def test_an_option_becomes_a_parameter(shell, python):
    assert in_python(shell) == python


def test_errors_and_warnings_speak_python_and_keep_what_is_typed():
    error = InputError("use --missing fill.")
    assert str(error) == f"{error}" == 'use missing="fill".'
    assert typed(error) == "use --missing fill."
    assert str(SeparatrixWarning("--drop 'a'")) == "drop=['a']"
    assert typed(ValueError("--drop 'a'")) == "--drop 'a'"


def test_a_table_read_in_python_is_refused_in_its_words(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("when,paid,y\n01.02.2024,€ 3,a\n02.02.2024,€ 4,b\n")
    with pytest.raises(InputError, match=r"label=NAME\. Columns with two values: ") as refused:
        read_table(path)
    assert "--" not in str(refused.value)
    with pytest.raises(InputError, match=r'parse=\["dates"\]') as refused:
        read_table(path, "y")
    assert "--" not in str(refused.value)
    assert "--parse dates" in typed(refused.value)
    with pytest.raises(InputError, match=r'multiclass="ova"|label'):
        judge([[0.0], [1.0], [2.0]], ["a", "b", "c"])
