"""The tutorial as a notebook: run by Jupyter's own client, and its page seen in a browser."""

import os
import sys
from pathlib import Path

import pytest

from tests.browser import chromium, needs_chromium

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
nbconvert = pytest.importorskip("nbconvert")
pytest.importorskip("ipykernel")

NOTEBOOK = Path(__file__).parent.parent / "docs" / "notebook.ipynb"
SHOWN = ("Linearly separable", "not separable, proven", "no line makes fewer than", "Trace")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return the notebook as it is after every cell has run."""
    folder = tmp_path_factory.mktemp("notebook")
    kernels = folder / "kernels" / "python3"
    kernels.mkdir(parents=True)
    (kernels / "kernel.json").write_text(
        f'{{"argv": ["{sys.executable}", "-m", "ipykernel_launcher", "-f", "{{connection_file}}"], '
        '"display_name": "Python 3", "language": "python"}'
    )
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(book)
    before = os.environ.get("JUPYTER_PATH")
    os.environ["JUPYTER_PATH"] = str(folder)
    try:
        nbclient.NotebookClient(
            book, timeout=120, resources={"metadata": {"path": str(folder)}}
        ).execute()
    finally:
        os.environ.pop("JUPYTER_PATH")
        if before is not None:
            os.environ["JUPYTER_PATH"] = before
    return book


def test_every_cell_runs_and_every_result_has_a_table_of_its_own(run):
    code = [cell for cell in run.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)
    outputs = [output for cell in code for output in cell.outputs]
    assert not [output for output in outputs if output.output_type in ("error", "stream")]
    pages = [
        output.data["text/html"] for output in outputs if "text/html" in output.get("data", {})
    ]
    assert len(pages) == 6
    assert "separatrix-verdict" in pages[0]
    assert "<script" not in "".join(pages)
    texts = [output.data["text/plain"] for output in outputs if "data" in output]
    assert not [text for text in texts if "Fraction(" in text]


@needs_chromium
def test_its_page_is_whole_in_a_browser(run, tmp_path):
    beside = Path(nbconvert.__file__).parents[4] / "share/jupyter/nbconvert/templates"
    exporter = nbconvert.HTMLExporter(
        template_name="basic",
        exclude_output_prompt=True,
        extra_template_paths=[str(beside)],
        extra_template_basedirs=[str(beside)],
    )
    body, _ = exporter.from_notebook_node(run)
    (tmp_path / "page.html").write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>t</title>{body}',
        encoding="utf-8",
    )
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1100, "height": 900})
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((tmp_path / "page.html").as_uri())
        if "SEPARATRIX_SHOT" in os.environ:
            page.screenshot(path=os.environ["SEPARATRIX_SHOT"], full_page=True)
        assert errors == []
        assert page.locator(".separatrix-verdict .big").inner_text().startswith(tuple("0123456789"))
        assert page.locator(".separatrix-verdict").bounding_box()["width"] > 500
        text = page.inner_text("body")
        for said in SHOWN:
            assert said.casefold() in text.casefold()
        widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert widths[0] <= widths[1]
