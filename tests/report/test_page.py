"""The verdict as one page: what it says is counted again, and what users wrote stays text."""

import re
from collections import Counter
from html.parser import HTMLParser

import numpy as np
import pytest

from separatrix import InputError, judge, read_table, to_html
from separatrix.report.page.outcomes import RATIOS
from separatrix.report.page.page import digest_of
from separatrix.report.page.pictures import near_rows, plane_picture
from separatrix.report.page.rows import RowsOf, applicant, value_text
from separatrix.report.sections import sections
from tests.report.pages import (
    HOSTILE,
    Read,
    as_number,
    credit,
    flowers,
    hostile,
    page_of,
    timeless,
    write_credit,
)


@pytest.fixture(scope="module")
def verdict(folder):
    return credit(folder)


@pytest.fixture(scope="module")
def read(folder):
    return Read.of(page_of(credit, folder))


FIGURES = re.compile(r"[\d.]*\d")


def rows_of(verdict):
    table = verdict.table
    age, income, house = table.columns
    return age.values, income.values, np.array(house.levels)[house.codes], table.y


def test_the_points_table_and_the_threshold_give_the_answers_that_are_counted(verdict, read):
    age, income, house, y = rows_of(verdict)
    (table,) = read.tables["line"]
    points = {}
    for cells in table[1:-1]:
        if len(cells) == 4:  # the first of a column's levels
            column = cells[0].split()[0]
        points[column, cells[-3].split(" (")[0]] = as_number(cells[-2])
    threshold = as_number(table[-1][1])
    levels, counts = np.unique(house, return_counts=True)
    assert points["house", levels[counts.argmax()]] == 0.0
    total = (
        age * points["age", "each unit"]
        + income * points["income", "each unit"]
        + np.array([points["house", level] for level in house])
    )
    said = total > threshold
    counts = [[as_number(cell) for cell in row[1:3]] for row in read.tables["outcomes"][0][1:3]]
    yes = y > 0
    assert counts == [
        [(yes & said).sum(), (yes & ~said).sum()],
        [(~yes & said).sum(), (~yes & ~said).sum()],
    ]
    assert counts[0][1] + counts[1][0] == verdict.winner.n_errors > 0


def test_the_threshold_for_every_ratio_of_costs_is_the_best_of_all(verdict, read):
    rows = RowsOf.of(verdict)
    sums = rows.X @ rows.line[1:]
    places = np.concatenate(([sums.min() - 1.0], np.sort(sums)))
    shown = read.tables["outcomes"][1][1:]
    assert len(shown) == len(RATIOS)
    for (a, b), row in zip(RATIOS, shown, strict=True):
        cost = [
            a * ((sums > t) & (rows.y < 0)).sum() + b * ((sums <= t) & (rows.y > 0)).sum()
            for t in places
        ]
        threshold, wrong_yes, wrong_no, then, now = map(as_number, row[1:])
        assert ((sums > threshold) & (rows.y < 0)).sum() == wrong_yes
        assert ((sums <= threshold) & (rows.y > 0)).sum() == wrong_no
        assert a * wrong_yes + b * wrong_no == then == min(cost)
        assert now == a * verdict.winner.n_wrong_yes + b * verdict.winner.n_wrong_no


def test_contradicting_rows_are_those_of_the_file(verdict, read, folder):
    lines = (folder / "credit.csv").read_text().splitlines()
    (table,) = read.tables["proof"]
    assert len(table) == 2 + len(verdict.witness_lines)
    share = {"good": 0.0, "bad": 0.0}
    mixed = {"good": 0.0, "bad": 0.0}
    for line, label, part, age, income, house in table[1:-1]:
        assert lines[int(line) - 1].split(",") == [age, f"{float(income):.1f}", house, label]
        share[label] += as_number(part[:-2])
        mixed[label] += as_number(part[:-2]) / 100 * float(age)
    assert share == pytest.approx({"good": 100.0, "bad": 100.0}, abs=0.1)
    assert mixed["good"] == pytest.approx(mixed["bad"], abs=0.02)
    assert as_number(table[-1][1]) == pytest.approx(mixed["good"], abs=0.02)


def test_the_row_explained_is_the_nearest_and_its_parts_add_up(verdict, read):
    rows = RowsOf.of(verdict)
    nearest = int(np.argmin(np.abs(rows.X @ rows.line[1:] + rows.line[0])))
    (table,) = read.tables["applicant"]
    parts = [as_number(row[2]) for row in table[1:-2]]
    total, score = as_number(table[-2][1]), as_number(table[-1][1])
    assert sum(parts) == pytest.approx(total, rel=1e-5)
    assert score == pytest.approx(float(rows.scores[nearest]), rel=1e-5)
    assert f"line {verdict.table.lines[nearest]}." in " ".join(" ".join(read.text).split())


def test_the_page_says_what_the_text_says(verdict, read):
    shown = " ".join(" ".join(read.text).split()).replace("±", "+-")
    for section in sections(verdict).values():
        if section.title.startswith("Weights ("):
            continue
        for sentence in section.sentences + section.below:
            told = sentence if "ms" not in sentence else section.title
            assert " ".join(told.split()) in shown
    assert verdict.table.sha256 in shown


@pytest.mark.parametrize("make", [credit, hostile, flowers])
def test_the_page_asks_nobody_and_runs_nothing(make, folder):
    read = Read.of(page_of(make, folder))
    assert not {"img", "iframe", "link", "object", "base", "form"} & set(read.tags)
    for key, value in read.attributes:
        assert not key.startswith("on")
        assert key not in ("src", "style", "action", "srcset")
        assert key != "href" or value.startswith("#")
    (policy,) = [v for k, v in read.attributes if v.startswith("default-src 'none'")]
    allowed = re.findall(r"'(sha256-[^']+)'", policy)
    assert allowed == [f"sha256-{digest_of(read.whole[tag][0])}" for tag in ("style", "script")]
    assert [len(read.whole[tag]) for tag in ("style", "script")] == [1, 1]
    assert len(read.whole["script"][0].encode()) < 15_000
    ids = [value for key, value in read.attributes if key == "id"]
    assert len(ids) == len(set(ids))
    targets = {value[1:] for key, value in read.attributes if key == "href"}
    assert targets <= set(ids)


def test_hostile_words_are_text_short_in_tables_and_in_full_at_the_end(folder):
    page = page_of(hostile, folder)
    read = Read.of(page)
    assert len(page) < 400_000
    for name in HOSTILE[:2]:
        assert name not in page
        assert any(name[:30] in text for text in read.text)
    assert "\u202e" not in page
    assert "\u2066" not in page
    assert "{{ 7 * 7 }}" in page
    whole = [text for text in read.text if "x" * 10_000 in text]
    assert len(whole) == 1
    assert page.count("x" * 100) == 100


def test_same_verdict_same_bytes_but_for_times(folder, tmp_path):
    again = judge(read_table(write_credit(tmp_path / "credit.csv"), label="credit", yes="good"))
    first, second = page_of(credit, folder), to_html(again)
    assert timeless(first) == timeless(second)


def test_separable_rows_are_asked_whether_lines_agree(tmp_path):
    X = [[0.0], [1.0], [3.0], [4.0], [5.0]]
    page = to_html(judge(X, [0, 0, 1, 1, 1]))
    assert "yes, proven" in page
    assert "Without it: " in page
    assert "0, proven" in page
    with pytest.raises(InputError, match="does not exist"):
        to_html(judge(X, [0, 0, 1, 1, 1]), tmp_path / "nowhere" / "page.html")
    assert not list(tmp_path.iterdir())


def test_a_line_that_answers_unlike_the_best_ones_is_said_to_be_none_of_them():
    X = [[0.0], [1.0], [2.0], [3.0], [3.5], [9.0], [9.5], [30.0]]
    verdict = judge(X, [0, 0, 0, 1, 1, 1, 1, 0], learner="linear")
    told = applicant(verdict, RowsOf.of(verdict))
    assert told["says"] is False
    assert "says 1 to this row (proven); the line of this page is not among" in told["agreement"]


def test_weights_missing_values_and_products_of_columns(tmp_path):
    lines = ["a,b,w,y"] + [
        f"{k % 7},{k % 5 if k % 4 else ''},{1 + k % 3},{k % 3 > 0}" for k in range(60)
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    table = read_table(tmp_path / "t.csv", label="y", weight="w", missing="fill")
    for degree in (1, 2):
        page = to_html(judge(table, degree=degree))
        assert "costs are by row weight" in page
        assert ("a b" in page) is (degree == 2)
        assert ("the point that both sides share" in page) is (degree == 1)
        assert ("in the products of columns" in page) is (degree == 2)
    verdict = judge(table)
    parts = RowsOf.of(verdict).parts
    assert value_text(verdict, parts[1], 0) == (str(int(verdict.encoding.columns[1].fill)), True)
    assert value_text(verdict, parts[1], 1) == ("1", False)
    assert "This is about the table as filled" in to_html(verdict)


def test_a_picture_leaves_out_a_few_rows_far_from_the_others():
    points = np.random.default_rng(1).normal(size=(500, 2))
    assert near_rows(points)[1] == 0
    points[7] = [1e6, 0.0]
    near, outside = near_rows(points)
    assert outside == 1
    assert 7 not in near


def test_the_plane_is_that_of_the_two_strongest_columns_of_numbers():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(120, 5))
    X[:, 0] = X[:, 0] > 0  # two values only
    y = 3.0 * X[:, 0] + X[:, 2] - X[:, 4] > 1.6
    verdict = judge(X, y)
    caption = plane_picture(verdict, RowsOf.of(verdict), "p").caption
    assert "x3 and x5" in caption or "x5 and x3" in caption


def test_the_strongest_columns_come_first_and_thirty_rows_are_open():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(90, 34)) * np.arange(1, 35)
    verdict = judge(X, X @ np.linspace(-1, 1, 34) + rng.normal(size=90) > 0)
    page = to_html(verdict)
    (table,) = Read.of(page).tables["line"]
    weights = {f"x{j + 1}": w for j, w in enumerate(verdict.winner.weights[1:])}
    spread = {name: abs(w) * X[:, j].std() for j, (name, w) in enumerate(weights.items())}
    names = sorted(weights, key=lambda name: -spread[name])
    assert [cells[0].split()[0] for cells in table[1:-1]] == names
    for cells in table[1:-1]:
        found = as_number(cells[2])
        assert found == pytest.approx(weights[cells[0].split()[0]], rel=1e-5)
    section = page[page.index('id="line"') : page.index('id="applicant"')]
    assert section.count('<tr class="rest">') == 4
    assert "<summary>4 more</summary>" in section


def test_figures_have_three_digits_and_all_of_them_in_the_tooltip(verdict, folder):
    page = page_of(credit, folder)
    (age,) = [w for name, w in zip(verdict.features, verdict.winner.weights[1:]) if name == "age"]  # noqa: B905
    full, short = (f"{age:+.{digits}g}".replace("-", "\N{MINUS SIGN}") for digits in (6, 3))
    assert f'<span title="{full}">{short}</span>' in page
    cells = re.findall(r'<td class="num">([^<]*)</td>', page[: page.index('id="coefficients"')])
    long = [c for c in cells if re.search(r"\d\.\d{4,}", c) and not re.search(r"0\.0", c)]
    assert long == []


def test_every_mistake_is_among_the_rows_and_says_so(verdict, read):
    (table,) = read.tables["rows"]
    rows = RowsOf.of(verdict)
    wrong = [cells for cells in table[1:] if cells[1] != cells[2]]
    expected = np.flatnonzero((rows.scores > 0) != (rows.y > 0))
    assert len(wrong) == expected.size
    assert {int(cells[0]) for cells in wrong} == set(verdict.table.lines[expected].tolist())
    assert table[1 : 1 + len(wrong)] == wrong


class Headings(HTMLParser):
    """The text of headings, folds, links of the contents, and heads of tables and lists."""

    def __init__(self):
        super().__init__()
        self.found, self.within = [], 0

    @classmethod
    def of(cls, page):
        read = cls()
        read.feed(page)
        return read

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        if tag in ("h1", "h2", "h3", "summary", "dt", "thead", "nav", "caption"):
            self.within += 1

    def handle_endtag(self, tag):
        if tag in ("h1", "h2", "h3", "summary", "dt", "thead", "nav", "caption"):
            self.within -= 1

    def handle_data(self, data):
        if self.within and data.strip():
            self.found.append(data.strip())


def test_every_heading_of_a_chinese_page_is_chinese(folder):
    for make in (credit, flowers):
        page = page_of(make, folder, "zh-Hant")
        assert '<html lang="zh-Hant">' in page
        assert '<html lang="en">' in page_of(make, folder)
        headings = Headings.of(page).found
        assert len(headings) > 20
        own = {"credit", "flowers", "kind", "good", "house", "income", "green"}
        own |= {"parents", "rent", "blue"}
        english = {w for h in headings for w in re.findall(r"[A-Za-z]{4,}", h)} - own
        assert english <= {"separatrix"}, english
        assert 'lang="en"' not in page  # what stayed English would say so
        assert not re.search(r'aria-label="[^"\u4e00-\u9fff]*"', page)
        assert not re.search(r"\bnot \w+<", page)
        both = (" ".join(Read.of(p).text) for p in (page, page_of(make, folder)))
        chinese, english = (Counter(FIGURES.findall(text)) for text in both)
        assert chinese == english


def test_a_page_of_several_labels_has_the_facts_and_the_picture(folder):
    verdict, page = flowers(folder), page_of(flowers, folder)
    read = Read.of(page)
    head = page[: page.index("<main>")]
    assert "blue 20, green 20" in head
    assert f"{verdict.winner.n_errors:,} ({100 * verdict.winner.e_in:.2f} %)" in head
    separable = [q.separability.separable for q in verdict.questions].count(True)
    assert f"{separable} of 3 questions, proven" in head
    assert page.count('id="labels-plane-title"') == 1
    assert f"mistakes ({verdict.winner.n_errors})" in page
    assert "where the answer changes" in page
    assert "svg" in read.tags
    assert "labels-plane" not in page_of(credit, folder)
    text = " ".join(" ".join(read.text).split())
    for said in ("Models compared", "<u>red</u>", "green", "blue"):
        assert said in text
    assert text.count("Finite coefficients?") == 3
