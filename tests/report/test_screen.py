"""The first screen: at most 15 lines of 80 columns, in both languages, and what it says is true."""

import re
import string

import numpy as np
import pytest
from sklearn.datasets import load_iris

from separatrix import InputError, judge, read_table, to_html, to_text
from separatrix.report.screen import NextSteps, first_screen, screen_of, screen_text, summary
from separatrix.report.wording import folded, width
from separatrix.report.words import (
    CHINESE_HEADINGS,
    LANGUAGES,
    PHRASES,
    language_of_locale,
    words_of,
)
from tests.shared_data import DATA, manifest, needs_shared, read_public
from tests.verdict.tables import noisy

BOTH = pytest.mark.parametrize("lang", sorted(LANGUAGES))
TOUCHING = ([[0.0], [1.0], [1.0], [2.0]], ["a", "a", "b", "b"])


def whole(verdict, lang):
    """The screen as the command line prints it."""
    words = words_of(lang)
    after = NextSteps([], [], "separatrix learn t.csv --label y", ["--model m", "--full"])
    return screen_text([*screen_of(verdict, words), *after.lines(words)], words)


def refuse_more_than_fits(text):
    lines = text.splitlines()
    assert len(lines) <= 15
    assert max(map(width, lines)) <= 80
    assert all(line == line.rstrip() for line in lines)


@needs_shared
@pytest.mark.parametrize("entry", manifest(), ids=lambda e: e["name"])
def test_public_tables_fit_on_the_screen(entry):
    verdict = judge(read_public(entry), fewest_nodes=3)
    for lang in LANGUAGES:
        refuse_more_than_fits(whole(verdict, lang))
    found = {True: "yes (proven)", False: "no (proven)"}[entry["separable"]]
    assert f"Separable     {found}" in first_screen(verdict)
    assert verdict.separability.separable is entry["separable"]
    assert verdict.table.y.size == entry["n"]
    fewest = entry.get("min_errors_lower_bound", 0)
    assert min(r.n_errors for r in verdict.results) >= fewest
    assert verdict.result("logistic regression").n_errors == 0 or not entry["separable"]
    finite = verdict.separability.verdict == "overlapping"
    assert f"Logistic fit  {'exists' if finite else 'does not exist'}" in first_screen(verdict)


@pytest.mark.parametrize("rule", ["ova", "ovo"])
def test_many_labels_fit_on_the_screen(rule):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 7)) + np.repeat(np.arange(10.0), 30)[:, np.newaxis]
    y = np.repeat([f"a label of many words, number {k}" for k in range(10)], 30)
    names = [f"{'long ' * 20}{k}" for k in range(7)]
    verdict = judge(X, y, feature_names=names, multiclass=rule, fewest_nodes=0)
    for lang in LANGUAGES:
        refuse_more_than_fits(whole(verdict, lang))


@BOTH
def test_hostile_names_fit_on_the_screen(lang):
    X, y = noisy(3)
    names = ["\u202eevil\x1b[31m\n", "寬" * 200, "x" * 10_000]
    text = whole(judge(X, y, feature_names=names), lang)
    refuse_more_than_fits(text)
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_what_to_do_where_coefficients_are_infinite():
    def flat(X, y):
        return " ".join(first_screen(judge(X, y)).split())

    assert "quasi-separated" in flat(*TOUCHING)
    apart = flat([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    assert "both coefficients are infinite. Take a separating line, or use a penalty" in apart
    a, b = [0.0, 1.0, 2.0, 3.0, 1.0, 2.0], [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]
    found = flat(np.column_stack([a, b]), [0, 1, 0, 1, 1, 1])
    assert "does not exist: x2=1 +inf (2 rows, both 1). Keep this column and use a penalty" in found
    assert "use a penalty (judge: penalty=1), or drop it" in found
    assert "Warnings 1: see Logistic fit" in found


def test_infinite_coefficients_are_not_printed_as_estimates():
    X = np.column_stack([[0.0, 1.0, 2.0, 3.0, 1.0, 2.0], [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]])
    verdict = judge(X, [0, 1, 0, 1, 1, 1], learner="logistic", feature_names=["a", "b"])
    weights = first_screen(verdict).split("Weights ")[1].splitlines()[0]
    assert "b +inf" in weights
    assert "a +inf" not in weights
    assert "column  estimate   weight used" in to_text(verdict)
    assert re.search(r"\nb +\+inf ", to_text(verdict))
    assert "+inf (+" in to_html(verdict)
    down = judge(X * [1.0, -1.0], [0, 1, 0, 1, 1, 1], learner="logistic")
    assert "x2 -inf" in first_screen(down)
    linear = judge(X, [0, 1, 0, 1, 1, 1], learner="linear")
    assert "inf" not in first_screen(linear).split("Weights ")[1].splitlines()[0]
    assert "estimate" not in to_text(linear).split("WEIGHTS")[1].split("\n\n")[1]


def levels_table(tmp_path, levels, rows=3):
    path = tmp_path / "levels.csv"
    lines = [f"{k % 5},c{k // rows},{k % 2}" for k in range(levels * rows)]
    lines += [f"{k % 5},d{k // rows},{k // rows % 2}" for k in range(levels * rows)]
    path.write_text("\n".join(["x,city,y", *lines, ""]))
    return path


def two_levels(tmp_path):
    """x says nothing; the level "rare" has three rows, all no, and another two of both."""
    rows = [f"{k},{'common'},{'yes' if k % 2 else 'no'}" for k in range(40)]
    rows += [f"{k},rare,no" for k in (3, 4, 8)]
    rows += ["5,scarce,yes", "6,scarce,no"]  # what it is merged with
    path = tmp_path / "two.csv"
    path.write_text("\n".join(["x,where,y", *rows, ""]))
    return path


def test_an_infinite_level_is_named_with_its_rows_and_the_options_to_copy(tmp_path):
    verdict = judge(read_table(two_levels(tmp_path), "y"), fewest_nodes=0)
    said = " ".join(first_screen(verdict).split())
    assert "where=rare -inf (3 rows, all no). Merge this level (--group-rare 4)" in said
    assert "drop the column (--drop where), or use infer: intervals" in said
    full = to_text(verdict).split("FINITE COEFFICIENTS?")[1].split("\n\n")[1]
    assert full.splitlines()[1].split() == ["where=rare", "-inf", "3", "0"]
    assert "exists: the coefficients are finite (proven)" in to_text(judge(*noisy(3)))


@BOTH
def test_hundreds_of_infinite_levels_are_counted_and_all_listed_in_full(tmp_path, lang):
    verdict = judge(read_table(levels_table(tmp_path, 60), "y"), fewest_nodes=0)
    text = whole(verdict, lang)
    refuse_more_than_fits(text)
    assert "…" not in text
    assert "city" in text.split(words_of(lang)("fit"))[1]
    assert "(all: --full)" in text or "（全部見 --full）" in text
    listed = to_text(verdict).split("FINITE COEFFICIENTS?")[1].split("\n\n")[1].splitlines()[1:]
    assert len(listed) == len(verdict.separability.divergent) == 60


def test_labels_that_count_as_no_are_named(tmp_path):
    path, labels = tmp_path / "t.csv", ["yes", "no", "maybe", "noo"]
    path.write_text("a,y\n" + "".join(f"{k % 7},{labels[k % 4]}\n" for k in range(40)))
    verdict = judge(read_table(path, "y", "yes"), fewest_nodes=3, learners="linear")
    assert "1 column; yes 25 % (no: maybe, no, noo)\n" in first_screen(verdict)
    assert "yes 占 25 %（否：maybe、no、noo）\n" in first_screen(verdict, "zh-Hant")
    assert "no is maybe, no and noo: 30 rows" in to_text(verdict)


@BOTH
def test_the_bound_of_pla_stands_beside_its_updates(lang):
    verdict = judge([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    t = verdict.result("PLA").n_updates
    line = whole(verdict, lang).splitlines()[2]
    assert line.split("PLA")[1].count(f"T = {t}") == 1
    assert f")^2 = {verdict.pla_bound}" in line
    assert "PLA: T" not in first_screen(judge(*noisy(3)))


@BOTH
def test_iris_in_pairs_says_why_the_lowest_error_is_not_selected(lang):
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(1).permutation(len(y))  # of which folds the lowest is logistic
    verdict = judge(X[order], y[order], multiclass="ovo", fewest_nodes=0)
    text = whole(verdict, lang)
    refuse_more_than_fits(text)
    assert "…" not in text
    lowest = verdict.selection.least
    assert (lowest.name, verdict.winner.name) == ("logistic regression", "linear regression")
    said = "".join(text.split())
    assert f"{100 * lowest.cv_error:.1f}%" in said
    assert "2of3" in said or "3題中有2題" in said


@needs_shared
def test_four_lines_that_contradict_each_other_are_all_named():
    verdict = judge(read_table(DATA / "endometrial.csv", label="label"))
    assert "lines 2, 71, 78, 80 contradict each other" in first_screen(verdict)
    after = NextSteps([], [("separatrix predict M NEW", "")] * 5, "", []).lines(words_of("en"))
    text = screen_text([*screen_of(verdict, words_of("en")), *after], words_of("en"))
    assert "quasi-separated: 4 rows contradict each other\n" in text


def test_why_a_logistic_regression_within_reach_is_not_selected():
    order = np.random.default_rng(0).permutation(8)  # of which folds another is selected
    X, y = order[:, None].astype(float), np.where(order < 4, 0, 1)
    verdict = judge(X, y)
    assert verdict.winner.name != "logistic regression"
    said = "logistic regression has no finite fit"
    assert said in " ".join(first_screen(verdict).split())
    assert said in " ".join(to_text(verdict).split())
    assert said not in " ".join(first_screen(judge(X, y, learner="pla")).split())
    assert said not in " ".join(first_screen(judge(*noisy(3))).split())


@BOTH
def test_everything_begins_and_ends_with_the_answer(lang):
    verdict = judge(*noisy(3))
    first, *_, last = to_text(verdict, lang=lang).splitlines()
    assert first == last == summary(verdict, words_of(lang))
    assert width(first) <= 100
    assert words_of(lang).name(verdict.winner.name) in first


def test_str_is_the_first_screen():
    verdict = judge(*noisy(3))
    assert f"{verdict}\n" == first_screen(verdict)
    assert repr(verdict).startswith("<Verdict on arrays: ")


def test_both_languages_say_the_same():
    def places(phrase):
        return {name for _, name, _, _ in string.Formatter().parse(phrase) if name}

    for key, (english, chinese) in PHRASES.items():
        assert places(english) == places(chinese), key
    with pytest.raises(InputError, match="choose en or zh-Hant"):
        words_of("fr")


def test_every_heading_has_a_translation():
    verdict = judge([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    several = judge(np.eye(9), np.repeat([0, 1, 2], 3), multiclass="ova")
    text = to_text(verdict, lang="zh-Hant") + to_text(several, lang="zh-Hant")
    headings = [part.splitlines()[0] for part in text.split("\n\n") if part]
    english = [title.upper() for title in CHINESE_HEADINGS]
    assert not [h for h in headings if any(h.startswith(title) for title in english)]
    assert "模型比較" in headings
    assert "權重（線性迴歸）" in headings


@pytest.mark.parametrize(
    ("variables", "lang"),
    [
        ({"LANG": "zh_TW.UTF-8"}, "zh-Hant"),
        ({"LANG": "zh_HK"}, "zh-Hant"),
        ({"LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "C", "LANG": "zh_TW.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "zh_TW.UTF-8", "LANG": "C"}, "zh-Hant"),
        ({}, "en"),
    ],
)
def test_the_locale_chooses_the_language(monkeypatch, variables, lang):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert language_of_locale() == lang


def test_lines_break_between_chinese_characters_but_not_before_their_marks():
    assert width("寬a") == 3
    assert width("e\u0301") == 1
    text = "權重，依影響由大到小（另有 31 個）。"
    for columns in range(8, 40):
        lines = folded(text, columns, 99)
        assert max(map(width, lines)) <= columns
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert not any(line[0] in "，。）" for line in lines)
    assert folded("error 13.2 %", 11, 9) == ["error", "13.2 %"]
    assert folded("75 columns; yes 50 %", 16, 9) == ["75 columns;", "yes 50 %"]
    assert folded("lines 7, 19, ...)", 13, 9) == ["lines 7,", "19, ...)"]
    assert folded("one two three", 7, 1) == ["one tw…"]
    assert folded("one two three", 12, 1) == ["one two…"]
    assert folded("x" * 10, 4, 9) == ["xxxx", "xxxx", "xx"]


def test_one_row_is_never_one_rows(tmp_path):
    words = LANGUAGES["en"]
    assert words("check_more", n="1") == "and 1 more column without a suspicion"
    assert words("check_more", n="21") == "and 21 more columns without a suspicion"
    assert words("levels_of", n="1", name="a") == "1 level of a"
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,y\n")
    verdict = judge(read_table(tmp_path / "t.csv", label="b"))
    for text in (str(verdict), repr(verdict), to_text(verdict), to_html(verdict)):
        assert not re.search(r"\b(?<![\d.,])1 (rows|columns|levels|features)\b", text)
