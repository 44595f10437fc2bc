"""What is said in English has a Chinese sentence with the same figures, and none is left over."""

import ast
import re
import string
from pathlib import Path

import separatrix
from separatrix.report.words import CATALOGUE, again, speaking, words_of
from separatrix.said import Said

SOURCE = Path(separatrix.__file__).parent
SENTENCES = CATALOGUE["sentences"]
IN_A_TEMPLATE = re.compile(r'\bsay\("((?:[^"\\]|\\.)*)"')


def called(node):
    """The name of the function that is called: `say` of the report, `Said` and `of` below it."""
    return getattr(node.func, "id", getattr(node.func, "attr", ""))


def said_and_known():
    """Sentences that are said where they stand, and all texts of the package."""
    texts = [path.read_text("utf-8") for path in SOURCE.rglob("*.j2")]
    said = {found[1] for text in texts for found in IN_A_TEMPLATE.finditer(text)}
    known = set(said) | {text for table in texts for text in re.findall(r'"([^"]*)"', table)}
    of_report = {*SOURCE.joinpath("report").rglob("*.py")}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                known |= {node.value, node.value.replace(";", ","), node.value.removesuffix(".")}
            says = isinstance(node, ast.Call) and called(node) in ("say", "Said") and node.args
            if says and (path in of_report or called(node) == "Said"):
                first = node.args[0]
                said |= {first.value} if isinstance(first, ast.Constant) else set()
    return said, known


def test_all_that_is_said_has_a_chinese_sentence_and_none_is_left_over():
    said, known = said_and_known()
    assert not {text for text in said if re.search("[a-z]{3}", text)} - SENTENCES.keys()
    rest = {text for text in SENTENCES.keys() - known if not text.startswith("{n:,} ")}
    assert not rest


def test_both_languages_name_the_same_places():
    for english, chinese in SENTENCES.items():
        fields = [
            {f for _, f, _, _ in string.Formatter().parse(t) if f} for t in (english, chinese)
        ]
        assert fields[0] == fields[1], english


def test_names_of_the_users_stay_as_they_are():
    with speaking(words_of("zh-Hant")):
        assert again("column 'x (penalty 5)' is odd") == "column 'x (penalty 5)' is odd"
        assert again(Said("{name}: {said}", name="pocket", said=Said("here"))) == "pocket：在此"
        assert again(Said("pocket (penalty 5)")) == "口袋演算法（懲罰項 5）"
