"""The tutorial as a notebook: run by Jupyter's own client."""

import os
import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
nbconvert = pytest.importorskip("nbconvert")
pytest.importorskip("ipykernel")

NOTEBOOK = Path(__file__).parent.parent / "docs" / "notebook.ipynb"


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
