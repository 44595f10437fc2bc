"""A person at the page, in Chromium or in Firefox: a mouse, a finger, a keyboard, and two eyes."""

import time
from pathlib import Path
from typing import Any

import numpy as np

PATIENCE = 60.0  # seconds
KEYS = {  # of WebDriver, section 17.4.2
    "Control": "\ue009", "Shift": "\ue008", "Tab": "\ue004", "Enter": "\ue007", "Space": " ",
    "Home": "\ue011", "End": "\ue010", "ArrowLeft": "\ue012", "ArrowUp": "\ue013",
    "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Delete": "\ue017",
}  # fmt: skip
DROP = """(name, text) => {
  const carried = new DataTransfer();
  carried.items.add(new File([text], name, { type: "text/csv" }));
  const target = document.querySelector("%s");
  for (const kind of ["dragenter", "dragover", "drop"]) {
    const event = new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true });
    const kept = target.dispatchEvent(event);
    if (kept) return kind; // the browser would open the file instead
  }
  return "";
}"""


class Person:
    """What a person does and sees, by what a browser does in its own way: see the two below.

    Parameters
    ----------
    address : of the page, without a fragment
    """

    def __init__(self, address: str) -> None:
        self.address = address

    # what is seen

    def see(self, expression: str) -> Any:
        """Return the value of an expression."""
        return self.script(f"() => ({expression})")

    def text(self, selector: str) -> str:
        return str(self.see(f"document.querySelector({selector!r}).innerText"))

    def value(self, selector: str) -> str:
        return str(self.see(f"document.querySelector({selector!r}).value"))

    def count(self, selector: str) -> int:
        return int(self.see(f"document.querySelectorAll({selector!r}).length"))

    def visible(self, selector: str) -> bool:
        how = "{ visibilityProperty: true }"
        return bool(self.see(f"document.querySelector({selector!r}).checkVisibility({how})"))

    def numbers(self, selector: str, attribute: str) -> list[float]:
        """Return the numbers of an attribute, such as the corners of a path."""
        found = self.see(
            f"document.querySelector({selector!r}).getAttribute({attribute!r})"
            ".match(/-?[0-9.]+(e-?[0-9]+)?/g).map(Number)"
        )
        return [float(a) for a in found]

    def points(self) -> list[tuple[float, float, str]]:
        """Return the points of the page, from its address."""
        text = self.see("location.hash.match(/p=([^&]*)/)[1]")
        pieces = [piece for piece in text.split("~") if piece]
        return [(*map(float, piece[1:].split("_")), piece[0]) for piece in pieces]  # type: ignore[misc]

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the points of the page as the library takes them."""
        points = self.points()
        return np.array([p[:2] for p in points]), np.array(
            [1 if p[2] == "o" else -1 for p in points]
        )

    def weights(self) -> list[float]:
        """Return w as it is shown: the one that is kept, where there is one."""
        return [float(a) for a in self.text("#weights").split("(")[-1].rstrip(")").split(", ")]

    def verdict(self) -> str:
        return str(self.see("document.getElementById('verdict').dataset.verdict"))

    def until(self, expression: str) -> None:
        end = time.monotonic() + PATIENCE
        while not self.see(expression):
            assert time.monotonic() < end, expression
            time.sleep(0.02)

    # what is done

    def open(self, fragment: str = "") -> None:
        self.go("about:blank")
        self.go(self.address + fragment)
        self.until("document.documentElement.dataset.ready === 'yes'")

    def at(self, selector: str, across: float = 0.5, up: float = 0.5) -> tuple[float, float]:
        """Bring an element into view, and return a place on it."""
        left, top, width, height = self.see(
            f"((e) => (e.scrollIntoView({{ block: 'center', behavior: 'instant' }}), "
            "((r) => [r.left, r.top, r.width, r.height])(e.getBoundingClientRect())))"
            f"(document.querySelector({selector!r}))"
        )
        return left + width * across, top + height * (1 - up)

    def click(self, selector: str, across: float = 0.5, up: float = 0.5) -> None:
        """Click on an element that rests; again where it moved from under the pointer.

        What is above it may still change: the searches of the page go on between frames.
        """
        place = self.at(selector, across, up)
        while True:
            time.sleep(0.03)
            last, place = place, self.at(selector, across, up)
            if place != last:
                continue
            self.script(
                "() => { window.hit = null; document.addEventListener('click', (event) => {"
                " window.hit = event.target; }, { capture: true, once: true }); }"
            )
            self.stroke([place])
            if self.see(
                "((e) => !window.hit || !e || e.contains(window.hit))"
                f"(document.querySelector({selector!r}))"
            ):
                return
            assert self.at(selector, across, up) != place, f"{selector} is covered"

    def add(self, kind: str, across: float, up: float) -> None:
        self.click(f"#modes [data-mode={kind}]")
        self.click_plane(across, up)

    def click_plane(self, across: float, up: float, *, touch: bool = False) -> None:
        """Click, or tap, at a share of the plane."""
        self.stroke([self.on_plane(across, up)], touch=touch)

    def on_plane(self, across: float, up: float) -> tuple[float, float]:
        """Return the place of a share of the plane."""
        width, height = self.see(
            "((r) => [r.width, r.height])(document.getElementById('plane').getBoundingClientRect())"
        )
        size = min(width, height)
        return self.at(
            "#plane", 0.5 + (across - 0.5) * size / width, 0.5 + (up - 0.5) * size / height
        )

    def share(self, n: int) -> tuple[float, float]:
        """Return how far right and down on the plane a point is, as the numbers at its axes say."""
        found = []
        for j, (name, along) in enumerate((("middle", "x"), ("end", "y"))):
            marks = self.see(
                f"[...document.querySelectorAll('#plane .tick.{name}:not(.axis)')]"
                f".map((t) => [Number(t.textContent), Number(t.getAttribute('{along}'))])"
            )
            (v, p), (w, q) = marks[0], marks[-1]
            pixel = p + (q - p) * (self.points()[n][j] - v) / (w - v)  # type: ignore[operator]
            found.append((pixel - 4 * j) / 600)  # the baseline of a number is 4 below its line
        return found[0], found[1]

    def point(self, n: int) -> tuple[float, float]:
        right, down = self.share(n)
        return self.on_plane(right, 1 - down)

    def drag(self, n: int, ways: list[tuple[float, float]], *, touch: bool = False) -> None:
        """Drag a point to places that are so many pixels right of it and below; wait for it."""
        before = self.see("location.hash")
        x, y = self.point(n)
        self.stroke([(x, y), *((x + a, y + b) for a, b in ways)], touch=touch)
        self.until(f"location.hash !== {before!r}")
        while (now := self.see("location.hash")) != before:  # it may change on the way, too
            before = now
            time.sleep(0.3)

    def fill(self, selector: str, text: str) -> None:
        """Type into a field, over what is there, and leave it."""
        self.click(selector)
        self.press("a", "Control")
        self.type(text)
        self.press("Tab")


class InChromium(Person):
    def __init__(self, context: Any, address: str, folder: Path) -> None:
        super().__init__(address)
        self.folder = folder
        self.page = context.new_page()
        self.session = context.new_cdp_session(self.page)
        self.heard: list[str] = []
        self.page.on("pageerror", lambda error: self.heard.append(str(error)[:300]))
        self.page.on("console", lambda message: self.heard.append(message.text[:300]))

    def go(self, address: str) -> None:
        self.page.goto(address)

    def script(self, function: str, *given: Any) -> Any:
        return self.page.evaluate(f"(given) => ({function})(...given)", list(given))

    def stroke(
        self, places: list[tuple[float, float]], *, touch: bool = False, pause: float = 0.0
    ) -> None:
        if touch:
            for k, (x, y) in enumerate(places):
                self._touch("touchMove" if k else "touchStart", x, y)
            self._touch("touchEnd")
            return
        self.page.mouse.move(*places[0])
        self.page.mouse.down()
        for x, y in places[1:]:
            self.page.wait_for_timeout(1000 * pause)
            self.page.mouse.move(x, y)
        self.page.mouse.up()

    def _touch(self, kind: str, *place: float) -> None:
        points = [{"x": place[0], "y": place[1]}] if place else []
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def press(self, key: str, *held: str) -> None:
        self.page.keyboard.press("+".join([*held, key]))

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)

    def choose(self, selector: str, value: str) -> None:
        self.page.select_option(selector, value)

    def give(self, selector: str, path: Path) -> None:
        self.page.set_input_files(selector, path)

    def drop(self, name: str, text: str, selector: str = "body") -> None:
        path = self.folder / name
        path.write_text(text, "utf-8")
        x, y = self.at(selector)
        carried = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            how = {"type": kind, "x": x, "y": y, "data": carried}
            self.session.send("Input.dispatchDragEvent", how)

    def saved(self, selector: str) -> Path:
        with self.page.expect_download() as download:
            self.click(selector)
        path = self.folder / download.value.suggested_filename
        download.value.save_as(path)
        return path

    def prefer(self, *, dark: bool = False, still: bool = False) -> None:
        self.page.emulate_media(
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce" if still else "no-preference",
        )

    def resize(self, width: int, height: int) -> None:
        self.page.set_viewport_size({"width": width, "height": height})

    def complaints(self) -> list[str]:
        found = [text for text in self.heard if "favicon" not in text]
        self.heard.clear()
        return found


class InFirefox(Person):
    def __init__(self, marionette: Any, address: str) -> None:
        super().__init__(address)
        self.marionette = marionette
        self.marionette.complaints()

    def go(self, address: str) -> None:
        self.marionette.command("WebDriver:Navigate", url=address)

    def script(self, function: str, *given: Any) -> Any:
        end = "const done = given.pop(); Promise.resolve(({})(...given)).then(done)"
        return self.marionette.wait_for(
            f"const given = [...arguments]; {end.format(function)}", *given
        )

    def stroke(
        self, places: list[tuple[float, float]], *, touch: bool = False, pause: float = 0.0
    ) -> None:
        moves: list[dict[str, Any]] = [
            {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0} for x, y in places
        ]
        wait = {"type": "pause", "duration": round(1000 * pause)}
        drawn = [step for move in moves[1:] for step in (wait, move)]
        steps = [moves[0], {"type": "pointerDown", "button": 0}, *drawn]
        self._act({
            "type": "pointer", "id": f"pointer{touch}",
            "actions": [*steps, _up("pointer", button=0)],
            "parameters": {"pointerType": "touch" if touch else "mouse"},
        })  # fmt: skip

    def press(self, key: str, *held: str) -> None:
        pressed = [KEYS.get(name, name) for name in [*held, key]]
        down = [{"type": "keyDown", "value": value} for value in pressed]
        up = [_up("key", value=value) for value in reversed(pressed)]
        self._act({"type": "key", "id": "keys", "actions": [*down, *up]})

    def type(self, text: str) -> None:
        typed = [
            step for letter in text
            for step in ({"type": "keyDown", "value": letter}, _up("key", value=letter))
        ]  # fmt: skip
        self._act({"type": "key", "id": "keys", "actions": typed})

    def _act(self, actions: dict[str, Any]) -> None:
        self.marionette.command("WebDriver:PerformActions", actions=[actions])

    def _find(self, selector: str) -> str:
        found = self.marionette.command(
            "WebDriver:FindElement", using="css selector", value=selector
        )
        (name,) = found["value"].values()
        return str(name)

    def choose(self, selector: str, value: str) -> None:
        found = f"findIndex((o) => o.value === {value!r})"
        at = self.see(f"[...document.querySelector({selector!r}).options].{found}")
        name = self._find(f"{selector} option:nth-child({at + 1})")
        self.marionette.command("WebDriver:ElementClick", id=name)

    def drop(self, name: str, text: str, selector: str = "body") -> None:
        assert self.script(DROP % selector, name, text) == ""  # Marionette drags no files

    def give(self, selector: str, path: Path) -> None:
        name = self._find(selector)
        self.marionette.command("WebDriver:ElementSendKeys", id=name, text=str(path))

    def saved(self, selector: str) -> Path:
        folder = self.marionette.saved
        for path in folder.iterdir():
            path.unlink()
        self.click(selector)
        end = time.monotonic() + PATIENCE
        while True:
            paths = list(folder.iterdir())
            if len(paths) == 1 and paths[0].suffix != ".part" and paths[0].stat().st_size:
                return paths[0]
            assert time.monotonic() < end, paths
            time.sleep(0.02)

    def prefer(self, *, dark: bool = False, still: bool = False) -> None:
        self.marionette.prefer("layout.css.prefers-color-scheme.content-override", int(not dark))
        self.marionette.prefer("ui.prefersReducedMotion", int(still))
        for query, asked in (("color-scheme: dark", dark), ("reduced-motion: reduce", still)):
            self.until(f"matchMedia('(prefers-{query})').matches === {str(asked).lower()}")

    def resize(self, width: int, height: int) -> None:
        self.marionette.command("WebDriver:SetWindowRect", width=width, height=height + 86)

    def complaints(self) -> list[str]:
        found: list[str] = self.marionette.complaints()
        return found


def _up(device: str, **what: Any) -> dict[str, Any]:
    return {"type": f"{device}Up", **what}
