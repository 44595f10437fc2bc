"""Learners, the theorem and guesses, driven as a person would, in one browser or both."""

import contextlib
import io
import re

import numpy as np
import pytest

import separatrix as sx
from separatrix.errors import error_table
from tests.lab.places import in_chromium

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")

SQUARE = "#p=o2_2~o3_1~x-2_-2~x-1_-3&l=pla"
XOR = "#p=x0_0~o0_1~o1_0~x1_1&l=pla"
NOISE = "#p=o2_2~o3_1~x-2_-2~x-1_-3~o-3_-2~x1_0.5~o0.25_1.75~x-0.75_0.25&l=pla"

VISITS, SIGNS = ("cyclic", "naive", "permuted", "random"), ("mistake", "yes", "no", "mistake")
RUNS = [  # fragment, learner, options
    *(("#e=exSwings&l=pla", "pla", {"visit": visit, "signOfZero": sign})
      for visit, sign in zip(VISITS, SIGNS, strict=True)),
    ("#e=exSwings&l=pla", "pla", {"eta": "0.3", "start0": "1", "start1": "-2.5", "seed": "7"}),
    (NOISE, "pla", {"maxUpdates": "50"}),
    (NOISE, "pocket", {"visit": "random", "seed": "3", "maxUpdates": "60", "start2": "0.5"}),
    (NOISE, "ratchet", {"maxUpdates": "20000"}),
    (NOISE, "ratchet", {"visit": "permuted", "seed": "5"}),
    (NOISE, "averaged", {"start1": "2"}),
    (NOISE, "voted", {}),
    (SQUARE, "margin", {"margin": "2", "eta": "0.5", "visit": "permuted", "seed": "4"}),
    (SQUARE, "passive", {"C": "0.5", "start0": "1"}),
    (NOISE, "passive", {"maxUpdates": "20000"}),
    (XOR, "dual", {"kernel": "polynomial", "degree": "3", "gamma": "0.5"}),
    (XOR, "dual", {"kernel": "rbf", "gamma": "2", "visit": "random", "seed": "6"}),
    *((NOISE, "descent", {"measure": measure, "batch": batch, "eta": "0.0625"})
      for measure, batch in (("perceptron", "batchAll"), ("squared", "batchOne"),
                             ("cross_entropy", "batchAll"), ("cross_entropy", "batchOne"))),
    (NOISE, "linear", {}),
    (NOISE, "logistic", {}),
    (NOISE, "fewest", {}),
    (SQUARE, "widest", {}),
]  # fmt: skip


def ends(person, selector):
    """Return the first and the last point of a path, as shares of the plane."""
    found = np.array(person.numbers(selector, "d")) / 600
    return found[:2], found[-2:]


def choose(person, options):
    for key, value in options.items():
        if person.see(f"document.getElementById('option-{key}').tagName") == "SELECT":
            person.choose(f"#option-{key}", value)
        else:
            person.fill(f"#option-{key}", value)


@in_chromium
def test_every_learner_s_program_in_python_makes_the_run_that_is_shown(person):
    opened = None
    for fragment, learner, options in RUNS:
        if fragment != opened:
            person.open(fragment)
            opened = fragment
        person.choose("#learner", "linear")  # away, so that its options are as at first
        person.choose("#learner", learner)
        choose(person, options)
        made, case = {}, (learner, options)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(person.text("#python"), made)  # noqa: S102  # the page's own program
        assert "[" in printed.getvalue()
        shown = re.findall(r"(?:has )?(\d+)(?: of \d+)? wrong", person.text("#now"))[-1]
        if learner == "widest":
            w = made["w"] * np.linalg.norm(person.weights()) / np.linalg.norm(made["w"])
            assert person.weights() == pytest.approx(w, rel=1e-4), case
            continue
        X, y, model = np.array(made["X"]), np.array(made["y"]), made["model"]
        wrong = (model.predict(X) != y).sum()
        if learner not in ("dual", "voted"):
            w = [*np.ravel(model.intercept_), *np.ravel(model.coef_)]
            assert learner == "fewest" or person.weights() == pytest.approx(
                w, rel=1e-4, abs=1e-4
            ), case
            if options.get("signOfZero", "mistake") == "mistake":
                wrong = round(len(y) * error_table(w, X, y)["zero_one"])
        assert int(shown) == wrong, case
        if learner in ("pla", "dual"):
            assert int(person.see("document.getElementById('place').max")) == model.n_updates_, case


@in_chromium
def test_xor_is_separable_with_a_kernel_and_the_boundary_is_drawn(person):
    person.open(XOR)
    assert person.verdict() == "overlapping"
    person.choose("#learner", "dual")
    assert "0 of 4 wrong" in person.text("#now")
    squares = np.reshape(
        person.see(
            "[...document.querySelector('#plane .yes-region').getAttribute('d')"
            ".matchAll(/M([0-9.]+) ([0-9.]+)/g)].map((m) => [Number(m[1]), Number(m[2])])"
        ),
        (-1, 2),
    )
    assert 50 < len(squares) < 3550
    X, y = person.arrays()
    for n, label in enumerate(y):
        left, top = (a * 600 for a in person.share(n))
        inside = ((squares[:, 0] <= left) & (left < squares[:, 0] + 9.5)
                  & (squares[:, 1] <= top) & (top < squares[:, 1] + 9.5)).any()  # fmt: skip
        assert inside == (label > 0), X[n]


def test_a_run_is_stepped_scrubbed_and_played(person):
    person.open("#e=exSwings&l=pla")

    def place():
        return int(person.value("#place"))

    assert place() == 20
    for button, there in (("first", 0), ("step", 1), ("step", 2), ("back", 1), ("last", 20)):
        person.click(f"#{button}")
        assert place() == there
    person.click("#place", 0.5)
    assert 7 <= place() <= 13
    person.click("#first")
    fewest = 14
    for _ in range(20):
        person.click("#better")
        wrong = int(re.search(r"(\d+) of 14 wrong", person.text("#now"))[1])
        assert wrong < fewest
        fewest = wrong
        if not wrong:
            break
    assert place() == 20
    person.choose("#speed", "4")
    person.click("#play")
    assert person.text("#play") == "Pause"
    assert person.see("document.getElementById('now').ariaLive") == "off"
    person.click("#play")
    stopped = place()
    assert stopped < 20
    assert person.text("#play") == "Play"
    assert person.see("document.getElementById('now').ariaLive") == "polite"
    person.press("Space")  # the button has the focus
    person.until("document.getElementById('place').value === '20'")
    assert person.text("#play") == "Play"
    assert "no mistake is left" in person.text("#now")


def test_a_learning_rate_that_is_no_number_is_not_taken(person):
    person.open(SQUARE)
    before = person.weights()
    person.fill("#option-eta", "abc")
    assert person.see("document.getElementById('option-eta').ariaInvalid") == "true"
    assert person.weights() == before
    person.fill("#option-eta", "2")
    assert person.see("document.getElementById('option-eta').ariaInvalid") == "false"
    assert person.weights() == pytest.approx([2 * a for a in before])


def lines(person):
    """Return {name of a line: its cells} of the table side by side."""
    found = person.see(
        "[...document.querySelectorAll('#compared tr')].slice(2)"
        ".map((r) => [...r.cells].map((c) => c.textContent))"
    )
    return {name: cells for name, *cells in found}


def test_two_to_four_learners_stand_side_by_side_on_the_same_points(person):
    person.open(NOISE)
    X, y = person.arrays()
    for count in ("2", "4"):
        person.choose("#side-count", count)
        person.until(f"document.querySelectorAll('#compared svg').length === {count}")
    for k, learner in enumerate(("pla", "pocket", "linear", "logistic"), 1):
        person.choose(f"#compared thead :nth-child({k + 1}) select", learner)
    shown = lines(person)
    models = [
        sx.Perceptron(max_updates=2000, max_iter=None).fit(X, y),
        sx.Pocket(random_state=0, max_updates=200).fit(X, y),
        sx.LinearRegressionClassifier().fit(X, y),
        sx.LogisticRegression().fit(X, y),
    ]
    for k, model in enumerate(models):
        w = [*np.ravel(model.intercept_), *np.ravel(model.coef_)]
        for measure, error in error_table(w, X, y).items():
            name = {"zero_one": "0/1", "cross_entropy": "cross-entropy"}.get(measure, measure)
            assert float(shown[f"Ein, {name}"][k]) == pytest.approx(error, rel=6e-3, abs=1e-6)
        assert int(shown["wrong"][k]) == round(len(y) * error_table(w, X, y)["zero_one"])
    assert shown["updates"][:2] == [str(m.n_updates_) for m in models[:2]]
    assert shown["passes"][0] == str(models[0].n_iter_)
    assert int(shown["rows looked at"][0].replace(",", "")) > models[0].n_updates_
    person.click("#side-place", 0.0)
    person.click("#side-step")
    person.click("#side-step")
    person.click("#side-back")
    assert [cell.split(" / ")[0] for cell in lines(person)["Step"]] == ["1", "1", "0", "1"]


@in_chromium
def test_the_two_growths_the_cosine_and_t_beside_the_bound_are_drawn(person):
    person.open("#e=exSwings&l=pla")
    X, y = person.arrays()
    found = sx.separability(X, y)
    T, bound = re.search(r"T = (\d+); \(R/ρ\)² = ([\d,]+); R", person.text("#bound")).groups()
    assert int(T) == sx.Perceptron().fit(X, y).n_updates_
    assert int(bound.replace(",", "")) == found.mistake_bound >= int(T)
    assert person.count("#growth .series.value") == person.count("#growth .series.bound") == 3
    widths = person.see(
        "[...document.querySelectorAll('#sizes .bar')].map((b) => b.getBBox().width)"
    )
    assert 0 < widths[0] < widths[1]
    value, least = (
        np.reshape(person.numbers(f"#growth :first-child .series.{name}", "d"), (-1, 2))
        for name in ("value", "bound")
    )
    assert len(value) == len(least) == int(T) + 1
    assert (value[:, 1] <= least[:, 1] + 0.02).all()  # pixels: the value lies above its lower line


@in_chromium
def test_a_point_dragged_towards_the_line_makes_the_bound_explode(person):
    person.open("#p=o0_2~o4_2~x0_-2~x4_-2&l=pla")
    bounds = []
    for _ in range(8):
        person.drag(0, [(0, 24)])
        found = re.search(r"= ([\d,]+); R", person.text("#bound"))
        bounds.append(int(found[1].replace(",", "")) if found else None)
    assert person.see("String(getSelection())") == ""
    known = [b for b in bounds if b is not None]
    assert len(known) > 3
    assert known == sorted(known)
    assert known[-1] > 5 * known[0]


@in_chromium
def test_without_a_line_the_contradiction_is_drawn_and_pla_is_said_to_cycle(person):
    person.open(XOR)
    assert "the two hulls share the point (0.5, 0.5)" in person.text("#contradiction")
    assert person.count("#plane .tie") == 4
    x, y = person.numbers("#plane .shared", "d")[:2]
    centre = np.mean([person.share(n) for n in range(4)], axis=0) * 600
    assert [x, y + 7] == pytest.approx(centre, abs=0.5)
    a, b = re.search(
        r"weights of step (\d+) come back at step (\d+)", person.text("#cycle")
    ).groups()
    X, y = person.arrays()
    run = sx.Perceptron(max_updates=2000, max_iter=None).fit(X, y)
    weights = [w.tolist() for w in run.trace_.walk(X, y)]
    assert weights[int(a)] == weights[int(b)]
    person.click("#guess-first")
    person.fill("#guess", "7")
    person.click("#guessing button")
    assert "does not stop" in person.text("#guessed")
    person.click("#guess-first")
    person.until("document.getElementById('fewest').textContent.includes('1 (exact)')")
    person.click("#show-fewest")
    (a, b), (c, d) = ends(person, "#plane .others .best")
    below = [(y - b) * (c - a) - (x - a) * (d - b) > 0 for x, y in map(person.share, range(4))]
    sides = [below.count(True), below.count(False)]
    assert sorted(sides) == [1, 3]  # a line with one mistake cuts one corner of xor off
    person.choose("#learner", "fewest")
    assert "1 of 4 wrong" in person.text("#now")


def test_t_and_the_winner_are_guessed_before_they_are_seen(person):
    person.open(SQUARE)
    person.click("#guess-first")
    person.until("document.querySelectorAll('#compared svg').length === 3")
    hidden = ("#now", "#bound", "#fewest", "#compared tr:last-child td:nth-child(2)")
    assert [person.visible(selector) for selector in hidden] == [False] * 4
    assert person.value("#place") == "0"
    T = sx.Perceptron().fit(*person.arrays()).n_updates_
    person.fill("#guess", "3")
    person.click("#guessing button")
    assert person.text("#guessed") == f"You said 3. It needs {T}."
    assert person.visible("#now")
    person.choose("#winner", "linear")
    person.click("#winning button")
    assert "The fewest mistakes: " in person.text("#won")
    assert person.visible("#compared tr:last-child td:nth-child(2)")
