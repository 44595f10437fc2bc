"""What is said, in English and in Traditional Chinese.

The Chinese terms are those of the course (National Taiwan University, Machine Learning
Foundations). Names of columns, levels and labels stay as they are.

`words.json` has the phrases (of the first screen and the page, in English and in Chinese), and in
Chinese names of learners, what `check` finds, headings, what the page's script writes, and
sentences: these stand in English where they are said (`say`), and are found by that text.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from separatrix.data import InputError
from separatrix.said import Own, Said
from separatrix.tables.wording import counted as in_english

CATALOGUE = json.loads(Path(__file__).with_name("words.json").read_text("utf-8"))
PHRASES: Mapping[str, Sequence[str]] = CATALOGUE["phrases"]
CHINESE_HEADINGS: Mapping[str, str] = CATALOGUE["headings"]

ONE = re.compile(r"\b(?<![\d.,])(1 (?:more )?(?:row|column|level|question|mistake|line))s\b")


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language."""

    code: str  # of the language
    phrases: Mapping[str, str]
    names: Mapping[str, str]
    headings: Mapping[str, str]
    controls: Mapping[str, str]
    sentences: Mapping[str, str]

    def __call__(self, phrase: str, **values: object) -> str:
        """Return a phrase with its places filled; of one thing "1 row", not "1 rows"."""
        said = self.phrases[phrase].format(**values)
        of_one = self.code == "en" and "1" in map(str, values.values())
        return ONE.sub(r"\1", said) if of_one else said

    def is_foreign(self, text: str) -> bool:
        """Whether a text of the page is none of this language, but English."""
        return self.code != "en" and not CHINESE.search(text)

    def count(self, n: int, what: str) -> str:
        """Return "1 row", "2 rows"."""
        return self(what if n == 1 else f"{what}s", n=f"{n:,}")

    def all(self, n: int, what: str) -> str:
        """Return "both rows", "all 3 rows"."""
        if n == 2 and self.code == "en":
            return f"both {what}s"
        return self("all", counted=self.count(n, what))

    def listed(self, items: Sequence[str], most: int = 3) -> str:
        """Return "a, b and 3 more"."""
        shown = self("comma").join(items[:most])
        more = len(items) - most
        return self("and_more", items=shown, n=more) if more > 0 else shown

    def name(self, learner: str) -> str:
        """Return what a learner is called, or a kind of column or suspicion of `check`."""
        known, _, penalty = learner.partition(" (penalty ")
        if penalty and known in self.names:
            name = self.names[known]
            return self("of_penalty", name=name, penalty=penalty.removesuffix(")"))
        if learner.startswith("always ") and learner not in self.names:
            return self("always", label=learner.removeprefix("always "))
        return self.names.get(learner, learner)

    def named(self, cell: str) -> str:
        """Return what a learner is called in a table, where a star marks the selected one."""
        learner = cell.removesuffix(" *")
        return self.name(learner) + cell[len(learner) :]

    def heading(self, title: str) -> str:
        """Return a heading; all of it, or what stands in brackets, may be the name of a learner."""
        if isinstance(title, Own):
            return title
        head, bracket, rest = title.partition(" (")
        if head not in self.headings:
            return self.name(title)
        return self.headings[head] + (f"（{self.name(rest[:-1])}）" if bracket else "")


ENGLISH_WORDS = Words("en", {key: said[0] for key, said in PHRASES.items()}, {}, {}, {}, {})
LANGUAGES = {
    "en": ENGLISH_WORDS,
    "zh-Hant": Words(
        "zh-Hant",
        {key: said[1] for key, said in PHRASES.items()},
        CATALOGUE["names"],
        CHINESE_HEADINGS,
        CATALOGUE["controls"],
        CATALOGUE["sentences"],
    ),
}
HAN = ("zh_tw", "zh_hk", "zh_mo", "zh_hant")


SPOKEN = ContextVar("spoken", default=ENGLISH_WORDS)
CHINESE = re.compile("[\u4e00-\u9fff]")


@contextmanager
def speaking(words: Words) -> Iterator[None]:
    """Say what is said meanwhile in the language of these words."""
    token = SPOKEN.set(words)
    try:
        yield
    finally:
        SPOKEN.reset(token)


def say(english: str, /, **values: object) -> str:
    """Return a sentence in the language that is spoken, with its places filled if it has any."""
    said = SPOKEN.get().sentences.get(english, english)
    return said.format(**values) if values else said


def again(text: str) -> str:
    """Return in the language that is spoken what was said in English, where that is known of it."""
    words = SPOKEN.get()
    if not isinstance(text, Said):
        return words.sentences.get(text, text)
    if not text.values:
        return words.sentences.get(text) or words.name(text)
    # no name of the user's is a sentence of ours
    values = {k: again(v) if isinstance(v, Said) else v for k, v in text.values.items()}
    return say(text.template, **values)


def counted(n: int, what: str) -> str:
    """Return "1 row", "2 rows"."""
    return again(in_english(n, what))


def words_of(lang: str) -> Words:
    if lang not in LANGUAGES:
        raise InputError(f"lang={lang!r} is not known; choose {' or '.join(LANGUAGES)}.")
    return LANGUAGES[lang]


def language_of_locale() -> str:
    """Return the language that LC_ALL, LC_MESSAGES or LANG asks for."""
    set_to = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next((value for value in set_to if value), "").casefold().replace("-", "_")
    return "zh-Hant" if locale.startswith(HAN) else "en"
