"""The handbook: every block runs and prints what is shown, and nothing in it is missing or dead."""

import ast
import contextlib
import io
import re
import sys
import warnings
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import separatrix
from separatrix.kernels._cache import COMPILING
from tests.browser import chromium, needs_chromium

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS / "_extensions"))
import fences  # noqa: E402  # the handbook's own modules, found by the line above
import pages  # noqa: E402
import runners  # noqa: E402

PAGES = sorted(
    path for path in DOCS.rglob("*.md") if not path.relative_to(DOCS).parts[0].startswith("_")
)
CHAPTERS = sorted(DOCS.glob("[01]*.md"))
TRANSLATED = sorted((DOCS / "zh_TW").glob("*.md"))
LIVE = [*CHAPTERS, *(path for path in TRANSLATED if path.stem != "index")]
PARTS = (
    "The idea", "The formula", "The code", "The picture", "Exercise",
    "What popular notes get wrong",
)  # fmt: skip


def blocks(path):
    return list(fences.blocks(path.read_text(encoding="utf-8")))


# a translation has the code of its original, which is run: a test below compares them
@pytest.mark.parametrize(
    "path", sorted({*PAGES} - {*TRANSLATED}), ids=lambda path: str(path.relative_to(DOCS))
)
def test_every_block_of_a_page_prints_what_is_shown(path):
    run = pages.run_page(path)
    assert not run.wrong, "\n\n".join(run.wrong)


def test_that_kernels_are_compiled_is_no_part_of_what_a_command_prints():
    assert runners._shell(f'echo "separatrix: {COMPILING}" >&2; echo yes') == "yes"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_every_fenced_block_is_of_a_kind_that_is_executed_or_no_code(path):
    kinds = {block.kind for block in blocks(path)}
    assert kinds <= set(runners.RUNNERS) | pages.NOT_CODE
    opened = re.findall(r"^ *(?:`{3,}|~{3,}).*$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(opened) == 2 * len(blocks(path)), "a fence that is indented or left open"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_what_a_page_includes_is_a_plain_algorithm(path):
    for block in blocks(path):
        if block.kind == "{literalinclude}":
            source = (path.parent / block.argument).resolve()
            assert source.parent.name == "plain"
            defined = {node.name for node in ast.parse(source.read_text("utf-8")).body[1:]
                       if isinstance(node, ast.FunctionDef)}  # fmt: skip
            shown = re.findall(r"^:pyobject: (\w+)$", block.text, re.MULTILINE)
            assert set(shown) <= defined


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_chapter_has_all_its_parts(path):
    text = path.read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert [heading for heading in headings if heading in PARTS] == list(PARTS)
    kinds = [block.kind for block in blocks(path)]
    assert {"{math}", "python", "{picture}"} <= set(kinds)
    answer = text[text.index("<details>") : text.index("</details>")]
    assert "```python" in answer, "an exercise has an answer that is checked"


def test_there_are_twelve_chapters():
    assert [path.stem[:2] for path in CHAPTERS] == [f"{n:02}" for n in range(1, 13)]


@pytest.mark.parametrize("path", TRANSLATED, ids=lambda path: path.stem)
def test_a_translation_has_the_code_and_formulas_of_its_original_but_for_words(path):
    def code(blocks):
        shown = [b.text for b in blocks if b.kind in {*runners.RUNNERS, "{math}"}]
        shown += [b.argument for b in blocks if b.kind == "{live}"]
        words = re.compile(r" +# .*$|(?<=\\text\{).*?(?=\})", re.MULTILINE)
        return [words.sub("", text) for text in shown]

    assert code(blocks(path)) == code(blocks(DOCS / path.name))


def test_every_public_name_is_in_the_reference():
    text = "\n".join(path.read_text("utf-8") for path in (DOCS / "reference").glob("*.md"))
    told = set(re.findall(r"^\.\. (?:auto\w+|data):: (\w+)$", text, re.MULTILINE))
    assert set(separatrix.__all__) <= told, sorted(set(separatrix.__all__) - told)


WRONG = """
```python
>>> 1 + 1
3
```

```console
$ echo two
three
```

```ruby
puts 1
```

```{picture} Nothing
x = 1
```
"""


def test_what_is_not_as_shown_is_told(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(WRONG, encoding="utf-8")
    run = pages.run_page(page)
    assert len(run.wrong) == 4
    assert [message.split(":")[1] for message in run.wrong] == ["3", "8", "13", "17"]
    mended = pages.rewritten(page, run)
    assert ">>> 1 + 1\n2\n" in mended
    assert "$ echo two\ntwo\n" in mended


class Links(HTMLParser):
    """Where a page points to, and what can be pointed to in it."""

    def __init__(self):
        super().__init__()
        self.targets, self.anchors, self.loaded = [], {""}, []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.anchors |= {attrs[name] for name in ("id", "name") if attrs.get(name)}
        if tag == "a" and attrs.get("href"):
            self.targets.append(attrs["href"])
        source = attrs.get("src") or (attrs.get("href") if tag == "link" else None)
        if source:
            self.loaded.append(source)


def pictures_of(page, leave_out):
    """Run the first chapter for its build; the blocks of the others are run by the test above."""
    if page == CHAPTERS[0]:
        return pages.run_page(page, leave_out=leave_out)
    n = [block.kind for block in blocks(page)].count("{picture}")
    return runners.Run(page, pictures=[(".svg", b'<svg xmlns="http://www.w3.org/2000/svg"/>')] * n)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    pytest.importorskip("furo", reason="the handbook is built with the extra `docs`")
    from sphinx.cmd.build import main

    out, said = tmp_path_factory.mktemp("handbook"), io.StringIO()
    quiet = contextlib.redirect_stderr(said), warnings.catch_warnings(action="ignore")
    with pytest.MonkeyPatch.context() as patched, quiet[0], quiet[1]:
        patched.setattr("blocks.run_page", pictures_of)
        assert main(["-q", "-W", "--keep-going", str(DOCS), str(out)]) == 0, said.getvalue()
    return out


def parsed(path):
    links = Links()
    links.feed(path.read_text(encoding="utf-8"))
    return links


def test_the_built_pages_have_no_dead_link_and_load_nothing_from_elsewhere(built):
    found = {path: parsed(path) for path in built.rglob("*.html")}
    assert len(found) >= len(PAGES)
    for path, links in found.items():
        for target in links.targets + links.loaded:
            parts = urlsplit(target)
            if parts.scheme in ("http", "https", "data"):
                assert target not in links.loaded or parts.scheme == "data", (path, target)
                continue
            aim = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert aim.exists(), (path.name, target)
            if aim in found and target in links.targets:
                assert unquote(parts.fragment) in found[aim].anchors, (path.name, target)


@pytest.mark.parametrize(("page", "language"), [("zh_TW/02_pla", "zh-Hant-TW"), ("02_pla", "en")])
def test_pages_say_their_language(built, page, language):
    text = (built / f"{page}.html").read_text("utf-8")
    assert f'<html class="no-js" lang="{language}"' in text


NOT_PROSE = re.compile(r"<(pre|code|math|script|svg|style|title)\b.*?</\1>", re.DOTALL)


def test_what_stands_around_a_chinese_page_is_chinese(built):
    for path in sorted((built / "zh_TW").glob("*.html")):
        around = re.sub(
            r"<article.*?</article>|<(script|style).*?</\1>",
            "",
            path.read_text("utf-8"),
            flags=re.DOTALL,
        )
        around = re.sub(r'<a [^>]*lang="en".*?</a>', "", around)
        said = re.findall(r'(?:title|aria-label|placeholder|alt)="([^"]*)"', around)
        said += re.findall(r">([^<>]+)<", around)
        latin = {text.strip() for text in said if re.match(r"\s*[A-Za-z]", text)}
        assert {text for text in latin if not re.search(r"[\u4e00-\u9fff]", text)} <= OF_THE_MAKERS
        assert "Link to this heading" not in path.read_text("utf-8")


OF_THE_MAKERS = {"Sphinx", "and", "@pradyunsg", "'s", "Furo", "The separatrix engineers"}


def test_no_markup_is_left_in_the_prose(built):
    for path in PAGES:
        name = path.relative_to(DOCS).with_suffix(".html")
        if name.parts[0] != "reference":  # signatures have stars
            prose = re.sub(r"<[^>]*>", "", NOT_PROSE.sub("", (built / name).read_text("utf-8")))
            assert not re.findall(r".*(?:[*`$]|\\[a-z]).*", prose), name


@needs_chromium
def test_a_chapter_has_the_lab_as_a_live_figure_and_without_scripts_its_still_picture(built):
    with chromium() as browser:
        live = browser.new_context(offline=True).new_page()
        still = browser.new_context(offline=True, java_script_enabled=False).new_page()
        # the other translations show what their originals do
        for path in [*CHAPTERS, DOCS / "zh_TW" / "02_pla.md"]:
            page = path.relative_to(DOCS).with_suffix(".html")
            live.goto((built / page).as_uri())
            live.locator(".live").scroll_into_view_if_needed()
            frame = live.frame_locator(".live iframe")
            frame.locator("html[data-ready=yes]").wait_for(state="attached")
            assert frame.locator("#problem").is_hidden()
            assert frame.locator("header").is_hidden()
            assert "wrong" in frame.locator("#now").inner_text() or page.parts[0] == "zh_TW"
            if frame.locator("#back").is_enabled():  # regression has one step
                frame.locator("#back").click()
            language = frame.locator("html").get_attribute("lang")
            assert language == ("zh-Hant" if page.parts[0] == "zh_TW" else "en")
            assert live.locator(".live a").count() == 1
            still.goto((built / page).as_uri())
            assert still.locator("iframe").count() == 0
            assert still.locator("figure.drawn img").count() >= 1


def test_every_chapter_has_a_live_figure():
    for path in LIVE:
        assert [b.kind for b in blocks(path)].count("{live}") == 1, path
