"""What voices and fonts need: pages in Chinese say so, and captions of the contents are headings.

What the theme writes around a Chinese page is Chinese, and its contents are those of the Chinese
handbook.

Sphinx writes `role="heading"` without a level, which is no valid heading.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

NAVIGATION = "furo_navigation_tree"
CHINESE = {
    "Auto light/dark, in dark mode": "自動（目前深色）",
    "Auto light/dark, in light mode": "自動（目前淺色）",
    "Back to top": "回到頂端",
    "Contents": "目錄",
    "Copyright": "著作權",
    "Dark mode": "深色",
    "Expand": "展開",
    "Home": "首頁",
    "Index": "索引",
    "Light mode": "淺色",
    "Made with": "製作工具：",
    "Menu": "選單",
    "Next": "下一頁",
    "On this page": "本頁目錄",
    "Previous": "上一頁",
    "Search": "搜尋",
    "separatrix: the handbook": "separatrix：手冊",
    "Skip to content": "跳到內容",
    "Toggle Light / Dark / Auto color theme": "切換淺色、深色或自動",
    "Toggle site navigation sidebar": "開關網站目錄",
    "Toggle table of contents sidebar": "開關本頁目錄",
}
WORD = re.compile(r'(>|")(\s*)(' + "|".join(map(re.escape, CHINESE)) + r')(\s*)(?=<|"| &#169;)')
OF_A_PART = re.compile(r'"Toggle navigation of ([^"]*)"')
ENGLISH = (
    '<ul><li class="toctree-l1"><a class="reference internal" lang="en" href="{}">'
    "English</a></li></ul>"
)


def _amend(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    if page.startswith("zh_TW/"):
        context["language"] = "zh-Hant-TW"
        context["docstitle"] = CHINESE[str(context["docstitle"])]
        for way in ("next", "prev"):
            if (context.get(way) or {"link": ""})["link"].startswith("../"):
                context[way] = None  # an English page
        captions = context.get(NAVIGATION, "").split('<p class="caption"')
        found = [f'<p class="caption"{part}' for part in captions[1:] if "中文</span>" in part]
        english = ENGLISH.format(context["pathto"]("index"))
        context[NAVIGATION] = "".join(found) + english
    if NAVIGATION in context:
        context[NAVIGATION] = context[NAVIGATION].replace(
            'role="heading"', 'role="heading" aria-level="2"'
        )


def _translate(app: Sphinx, error: Exception | None) -> None:
    """Write the theme's own words in Chinese; of the article between them only its links' title."""
    for path in Path(app.outdir, "zh_TW").glob("*.html"):
        before, article, after = re.split(
            r"(<article.*?</article>)", path.read_text("utf-8"), flags=re.DOTALL
        )
        around = (
            WORD.sub(
                lambda m: f"{m[1]}{m[2]}{CHINESE[m[3]]}{m[4]}",
                OF_A_PART.sub(r'"開關「\1」的目錄"', text),
            )
            for text in (before, after)
        )
        article = article.replace("Link to this heading", "此標題的連結")
        path.write_text(article.join(around), "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Ask to be told of every page, after the theme was."""
    app.connect("html-page-context", _amend, priority=900)
    app.connect("build-finished", _translate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
