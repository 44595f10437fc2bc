"""The page in Debian's Firefox, opened from a file: the same paths, bit for bit."""

import numpy as np

import separatrix as sx
from separatrix.lab import single_file
from tests.firefox import firefox, needs_firefox

POINTS = [(2, 2, 1), (3, 1, 1), (-2, -2, -1), (-1, -3, -1), (0.5, -0.4, 1), (0.1, -0.9, -1)]
FRAGMENT = "#p=" + "~".join(f"{'o' if y > 0 else 'x'}{a}_{b}" for a, b, y in POINTS) + "&l=pla"
CLICK = "document.getElementById('{}').click(); return document.getElementById('place').value"


@needs_firefox
def test_the_file_opens_in_firefox_and_shows_the_library_s_run(tmp_path):
    path = tmp_path / "lab.html"
    path.write_text(single_file(), "utf-8")
    X, y = np.array([p[:2] for p in POINTS]), np.array([p[2] for p in POINTS])
    model = sx.Perceptron(max_updates=None, max_iter=None).fit(X, y)
    w = [*np.ravel(model.intercept_), *np.ravel(model.coef_)]
    with firefox(tmp_path) as browser:
        browser.command("WebDriver:Navigate", url=path.as_uri() + FRAGMENT)
        assert browser.evaluate("return document.documentElement.dataset.ready") == "yes"
        verdict = "return document.getElementById('verdict').dataset.verdict"
        assert browser.evaluate(verdict) == "separable"
        T = int(browser.evaluate("return document.getElementById('place').max"))
        assert model.n_updates_ == T
        assert browser.evaluate(CLICK.format("back")) == str(T - 1)
        assert browser.evaluate(CLICK.format("step")) == str(T)
        shown = browser.evaluate("return document.getElementById('weights').textContent")
        assert [float(a) for a in shown[5:-1].split(", ")] == [float(f"{a:.5g}") for a in w]
        preset = "const s = document.getElementById('presets'); s.value = 'exXor';"
        browser.evaluate(preset + "s.dispatchEvent(new Event('change'));")
        assert browser.evaluate(verdict) == "overlapping"
        shape = "return document.querySelectorAll('#plane .tie').length"
        assert browser.evaluate(shape) == 4
