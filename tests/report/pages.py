"""Tables for the page, and the page read back as a person would."""

import csv
import re
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import numpy as np

from separatrix import judge, read_classes, read_table, to_html

HOSTILE = (
    "<script>document.title='run'</script>",
    '"><img src=x onerror=alert(1)>',
    "</title></style></svg><svg onload=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "=cmd()&amp;$x^2$",
    "\u202eevil\u2066 \u05e9\u05dc\u05d5\u05dd",
    "__proto__",
    "\N{PILE OF POO}\N{ZERO WIDTH JOINER}",
    "x" * 10_000,
)
TIMES = re.compile(r'<span class="took">[^<]*</span>')


def write_credit(path: Path, n: int = 80) -> Path:
    """Overlapping rows of two numbers and a category, some with a second label."""
    rng = np.random.default_rng(5)
    age, income = rng.integers(20, 70, n), np.round(rng.normal(40, 12, n), 1)
    house = rng.choice(["own", "rent", "parents"], n)
    score = 0.05 * age + 0.1 * income + (house == "own") * 1.5 + rng.normal(0, 1.2, n)
    label = np.where(score > np.median(score), "good", "bad")
    rows = [["age", "income", "house", "credit"]]
    rows += [list(map(str, row)) for row in zip(age, income, house, label, strict=True)]
    write(path, rows)
    return path


def write_hostile(path: Path, n: int = 40) -> Path:
    """A table whose names, levels and labels all attack."""
    rng = np.random.default_rng(7)
    numbers = np.round(rng.normal(size=(n, len(HOSTILE))), 2)
    levels = [HOSTILE[k % 8] + str(k % 2) for k in range(n)]
    labels = np.where(numbers[:, 0] + numbers[:, 1] + rng.normal(0, 1, n) > 0, *HOSTILE[:2])
    rows = [[*HOSTILE, "<b>level</b>", "<i>label</i>"]]
    rows += [
        [*map(str, row), level, label]
        for row, level, label in zip(numbers, levels, labels, strict=True)
    ]
    write(path, rows)
    return path


def write_flowers(path: Path) -> Path:
    rng = np.random.default_rng(3)
    rows = [["a", "b", "kind"]]
    for k, kind in enumerate(("<u>red</u>", "green", "blue")):
        points = np.round(rng.normal([3.0 * k, (k - 1) ** 2], 0.9, (20, 2)), 2)
        rows += [[str(a), str(b), kind] for a, b in points]
    write(path, rows)
    return path


def write(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)


@cache
def credit(folder: Path):
    return judge(read_table(write_credit(folder / "credit.csv"), label="credit", yes="good"))


@cache
def hostile(folder: Path):
    return judge(read_table(write_hostile(folder / "<hostile>.csv"), label="<i>label</i>"))


@cache
def flowers(folder: Path):
    return judge(
        read_classes(write_flowers(folder / "flowers.csv"), label="kind"), multiclass="ova"
    )


@cache
def page_of(make, folder: Path, lang: str = "en") -> str:
    return to_html(make(folder), lang=lang)


def timeless(page: str) -> str:
    return TIMES.sub("", page)


@dataclass
class Read(HTMLParser):
    """A page as tags, attributes and text; tables as rows of cells, by the section they are in."""

    tags: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str]] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    tables: dict[str, list[list[list[str]]]] = field(default_factory=dict)
    whole: dict[str, list[str]] = field(default_factory=dict)
    section: str = ""
    cell: list[str] | None = None
    figure: str = ""
    running: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    @classmethod
    def of(cls, page: str) -> "Read":
        read = cls()
        read.feed(page)
        read.close()
        return read

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(key, value or "") for key, value in attrs]
        if tag == "section":
            self.section = dict(attrs).get("id", "")
        elif tag == "table":
            self.tables.setdefault(self.section, []).append([])
        elif tag == "tr":
            self.tables[self.section][-1].append([])
        elif tag in ("td", "th"):
            self.cell = []
        self.figure = dict(attrs).get("title", "") if tag == "span" else ""
        self.running = tag if tag in ("style", "script") else ""
        if dict(attrs).get("type") == "application/json":  # never run
            self.running = "data"

    def handle_endtag(self, tag):
        self.running = ""
        if tag in ("td", "th") and self.cell is not None:
            self.tables[self.section][-1][-1].append(" ".join("".join(self.cell).split()))
            self.cell = None

    def handle_data(self, data):
        if self.running:
            self.whole.setdefault(self.running, []).append(data)
            return
        data, self.figure = self.figure or data, ""  # a figure in full is in its tooltip
        self.text.append(data)
        if self.cell is not None:
            self.cell.append(data)


def as_number(text: str) -> float:
    return float(text.replace("\N{MINUS SIGN}", "-").replace(",", ""))
