"""One order of weights: by the standard deviation of what a column adds to the score."""

import numpy as np
import scipy.sparse as sp

from separatrix import judge, read_table, scorecard, to_text
from separatrix.model import strengths, strongest_first
from separatrix.report.page.rows import RowsOf

LEVELS = ("mild", "sharp", "none")


def verdict_of(tmp_path):
    rng = np.random.default_rng(11)
    rows = ["big,taste,small,liked"]
    for big, level, small in zip(  # noqa: B905
        rng.normal(0, 1000, 200), rng.integers(0, 3, 200), rng.normal(0, 1, 200)
    ):
        score = 0.0005 * big + 3.0 * (level == 1) - 2.0 * (level == 2) + small
        liked = "yes" if score + rng.normal() > 0 else "no"
        rows.append(f"{big:.3f},{LEVELS[level]},{small:.4f},{liked}")
    (tmp_path / "t.csv").write_text("\n".join(rows))
    return judge(read_table(tmp_path / "t.csv", label="liked", yes="yes"))


def test_of_a_number_it_is_weight_times_deviation_and_of_a_category_of_its_total(tmp_path):
    verdict = verdict_of(tmp_path)
    X, weights = verdict.question.sample.X, verdict.winner.weights[1:]
    found = strengths(verdict.encoding, weights, X)
    parts = [slice(0, 1), slice(1, 3), slice(3, 4)]
    expected = [(X[:, part] @ weights[part]).std() for part in parts]
    assert np.allclose(found, expected, rtol=1e-12)
    assert np.allclose(strengths(verdict.encoding, weights, sp.csr_array(X)), expected)
    assert np.isclose(found[2], abs(weights[3]) * X[:, 3].std())


def test_every_list_has_the_same_order(tmp_path):
    verdict = verdict_of(tmp_path)
    X, weights = verdict.question.sample.X, verdict.winner.weights[1:]
    order = list(strongest_first(verdict.encoding, weights, X))
    names = [verdict.encoding.columns[k].name for k in order]
    assert names[0] == "taste"
    screen = str(verdict)[str(verdict).index("Weights") :]
    assert sorted(names, key=screen.index) == names
    assert [part.name for part in RowsOf.of(verdict).strongest] == names
    card = scorecard(verdict.model, verdict.table)
    assert list(dict.fromkeys(entry.column for entry in card.entries)) == names
    assert "Strongest column first" in card.to_text()
    full = to_text(verdict)
    listed = full[full.index("Strongest column first") :].splitlines()
    cells = [line.split()[-1] for line in listed if line.startswith(("+", "-"))]
    assert list(dict.fromkeys(cell.partition("=")[0] for cell in cells))[:3] == names
