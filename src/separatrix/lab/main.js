// The page: its state, what happens on a click, and what is drawn after it.

import { fewestStepByStep } from "lab/fewest.js";
import { drawBound, drawGrowth, recurrence } from "lab/growth.js";
import { MOST_BYTES, check, handIn, numbersIn, optionsOfTask, pointsOfTask, readTask } from "lab/homework.js";
import { FIELDS, LEARNERS, choicesOf, initialOptions, zeroOf } from "lab/learners.js";
import { largestMargin } from "lab/margin.js";
import { Plane, toScale, viewOf } from "lab/plane.js";
import { Player } from "lab/play.js";
import { PRESETS } from "lab/presets.js";
import { ruleOf, wrongUnder } from "lab/rule.js";
import { separable } from "lab/separable.js";
import { MOST_POINTS, checked, fromFragment, pageOf, toCsv, toFragment, toPython } from "lab/share.js";
import { SideBySide } from "lab/side.js";
import { mistakes } from "lab/sign.js";
import { drawSpace, spaceOf } from "lab/space.js";
import { piece, write } from "lab/svg.js";
import { PRINCIPAL, pointsOf, readTable } from "lab/table.js";
import { grouped, language, say, short, speak } from "lab/words.js";

/** @typedef {import("lab/presets.js").Point} Point */

/** @param {string} id @returns {any} */
const one = (id) => document.getElementById(id);

const state = {
  /** @type {Point[]} */ points: [],
  learner: "pla",
  options: initialOptions("pla"),
  mode: "yes",
  brush: false,
  snap: false,
  guessFirst: false,
  showFewest: false,
  keyed: false,
  /** @type {[number, number] | null} */ cursor: null,
  /** @type {import("lab/table.js").Table | null} */ table: null,
};

/** @type {Point[][]} */ let past = [];
/** @type {Point[][]} */ let future = [];
/** @type {import("lab/pla.js").Walk | null} */ let run = null;
/** @type {import("lab/separable.js").Verdict | null} */ let verdict = null;
/** @type {import("lab/margin.js").Margin | null} */ let margin = null;
/** @type {Generator<number, import("lab/fewest.js").Fewest> | null} */ let search = null;
let searching = 0;
let said = "";
let settling = 0;
/** @type {ReturnType<typeof spaceOf> | null} */ let space = null;
/** @type {[number, number] | null} */ let round = null;
/** @type {{weights: number[], mistakes: number} | null} */ let best = null;

/** @type {import("lab/homework.js").Task[]} */
const tasks = JSON.parse(one("tasks").textContent);
/** @type {import("lab/homework.js").Task | null} */ let task = null;
let taskOpen = false; // whether the run was followed to its end, or an answer checked

const plane = new Plane(one("plane"));
const player = new Player(showStep);
const beside = new SideBySide(one("compared"), showSide);

/** @type {number[][]} */ let X = [];
/** @type {number[]} */ let y = [];
const hasBoth = () => y.includes(1) && y.includes(-1);

// What is computed ------------------------------------------------------------------------------

/**
 * Learn again, and decide again: after every change of points or options.
 * @param {{fit?: boolean, live?: boolean}} [how] live: the pointer is still moving
 */
function learn({ fit = false, live = false } = {}) {
  if (fit) plane.view = viewOf(state.points);
  [X, y] = [state.points.map((p) => [1, ...p.x]), state.points.map((p) => p.y)];
  const ready = hasBoth();
  one("show-fewest").hidden = !ready;
  run = ready ? LEARNERS[state.learner].run(X, y, state.options) : null;
  verdict = ready ? separable(state.points.map((p) => p.x), y) : null;
  margin = verdict?.verdict === "separable" ? largestMargin(X, y, verdict.weights) : null;
  search = ready && !margin ? fewestStepByStep(state.points.map((p) => p.x), y) : null;
  space = margin && verdict ? spaceOf(X.map((x, n) => x.map((a) => a * y[n])), margin.w_f) : null;
  const returns = state.learner === "pla" && run && !margin && state.options.eta === 1 && ["cyclic", "naive"].includes(state.options.visit); // w = eta v is rounded
  round = returns && run ? recurrence(run.weights, run.rows) : null;
  player.reset(run ? run.weights.length - 1 : 0, state.guessFirst || sought("updates") ? 0 : Infinity);
  hide(state.guessFirst && ready);
  plane.drawAxes();
  showVerdict();
  showStep();
  clearTimeout(settling);
  cancelAnimationFrame(searching);
  beside.wait();
  if (live) settling = window.setTimeout(settle, 200);
  else settle();
  best = margin && { weights: margin.w_f, mistakes: 0 };
  one("fewest").textContent = verdict ? say(margin ? "fewestIs" : "fewestBusy", { n: 0, share: 0 }) : "";
}

/** What can wait until the pointer rests. */
function settle() {
  showPrograms();
  beside.learn(state.points, plane.view, { learner: state.learner, options: state.options, run }, state.guessFirst ? 0 : Infinity);
  searching = requestAnimationFrame(goOnSearching);
}

/**
 * Look for the fewest mistakes, a few milliseconds in every frame that has nothing else to do. The next
 * frame is asked for at the end: a browser that shows a notice of a slow script handles frames meanwhile.
 */
function goOnSearching() {
  const until = performance.now() + (player.playing || dragged ? 2 : 8);
  while (search && !beside.busy && performance.now() < until) {
    const { done, value } = search.next();
    if (done) {
      one("fewest").textContent = say("fewestIs", { n: value.mistakes });
      search = null;
      best = value;
      showBrief();
      if (state.showFewest) showStep();
    } else one("fewest").textContent = say("fewestBusy", { share: Math.round(100 * value) });
  }
  cancelAnimationFrame(searching);
  if (search) searching = requestAnimationFrame(goOnSearching);
}

// What is shown ---------------------------------------------------------------------------------

function showStep() {
  const at = player.at;
  if (sought("updates") && at === player.last && at > 0) taskOpen = true;
  document.body.classList.toggle("hide-bound", sought("updates"));
  document.body.classList.toggle("hide-fewest", sought("fewest"));
  one("place").max = player.last;
  one("place").value = at;
  one("place").setAttribute("aria-valuetext", sought("updates") ? `${say("moment")} ${at}` : `${say("moment")} ${at} / ${player.last}`);
  one("play").textContent = say(player.playing ? "pause" : "play");
  one("now").setAttribute("aria-live", player.playing ? "off" : "polite");
  for (const id of ["play", "step", "back", "first", "last", "better"]) one(id).disabled = player.last === 0;
  const w = run?.weights[at] ?? null;
  const kept = run?.best?.[at] ?? null;
  const rule = run && ruleOf(state.learner, state.options, state.points, run, at);
  const zero = zeroOf(state.learner, state.options);
  const wrong = wrongUnder(rule, kept ?? w, state.points, zero);
  plane.drawLine(rule ? null : w, [
    ...(kept && kept !== w ? [{ w: kept, name: "kept" }] : []),
    ...(best && state.showFewest ? [{ w: best.weights, name: "best" }] : []),
  ]);
  plane.drawRegion(rule);
  const now = !rule && kept && w ? mistakes(w, X, y, zero) : wrong;
  plane.drawPoints(state.points, now);
  const row = run && at > 0 ? run.rows[at - 1] : -1;
  plane.drawUpdate(row >= 0 && !rule ? state.points[row] : null, run?.weights[at - 1] ?? [0, 0, 0], w ?? [0, 0, 0], state.points);
  if (verdict?.rows && verdict.point && at === player.last) {
    plane.drawContradiction([...verdict.rows.map((n) => state.points[n].x), verdict.point]);
  }
  plane.drawCursor(state.keyed ? state.cursor : null);
  said = sentence(at, row, wrong.length, now.length);
  write(one("now"), said);
  one("weights").textContent = rule || !w ? "" : `w = ${numbers(w)}${w[1] || w[2] ? "" : ` (${say("flat")})`}${kept ? `; ${say(state.learner === "averaged" ? "average" : "inPocket")} = ${numbers(kept)}` : ""}`;
  showBrief();
  showGrowth();
  showSpace(w, row >= 0 && !rule ? row : -1);
}

/** @param {number[]} w */
const numbers = (w) => `(${w.map((a) => short(a, 5)).join(", ")})`;

/** What is to be done next; else the verdict in a line, seen without scrolling. */
function showBrief() {
  const hidden = sought("updates") || sought("fewest") || document.body.classList.contains("hide-winner");
  one("beginning").hidden = state.points.length > 0;
  one("hint").classList.toggle("hidden", !state.points.length); // the plane itself says it
  const guessing = document.body.classList.contains("hide-updates") && hasBoth();
  const parts = guessing ? [say(margin ? "briefYes" : "briefNo"), say("guessHint")] : !state.points.length ? [say("empty")] : !hasBoth() ? [say(y.includes(1) ? "needNo" : "needYes")] : [
    say(margin ? "briefYes" : "briefNo"),
    best?.mistakes && !hidden ? say("briefFewest", { n: best.mistakes }) : "",
    margin && run && state.learner === "pla" && !hidden ? say(run.ended === "done" ? "briefUpdates" : "briefMore", { T: player.last }) : "",
    toScale(plane.view) ? "" : say("notToScale"),
  ];
  write(one("hint"), parts.filter(Boolean).join(" "));
  one("hint").dataset.verdict = verdict?.verdict ?? "";
}

/**
 * What happened in a step, in words.
 * @param {number} at
 * @param {number} row
 * @param {number} wrong
 * @param {number} now mistakes of the line of this step, where the pocket holds another
 */
function sentence(at, row, wrong, now) {
  if (!run) return hasBoth() ? say("noTheorem").split(/[,，]/)[0] + "." : "";
  const N = state.points.length;
  const T = player.last;
  const label = row >= 0 ? say(state.points[row].y > 0 ? "yes" : "no") : "";
  const sign = row >= 0 ? say(state.points[row].y > 0 ? "plus" : "minus") : "";
  const walks = !["descent", "passive"].includes(state.learner);
  const parts = [
    at === 0 ? (T ? say(sought("updates") ? "begunTask" : "begun", { T }) : "") : row >= 0 && walks ? say(state.learner === "dual" ? "updatedDual" : "updated", { t: sought("updates") ? at : say("ofSteps", { t: at, T }), n: row + 1, label, sign }) : say("stepped", { t: say("ofSteps", { t: at, T }) }),
    say("errors", { n: now, N, share: short(now / N) }),
    run.best ? say(state.learner === "averaged" ? "averageHas" : "pocketHas", { n: wrong }) : "",
    at < T ? "" : say(run.ended !== "done" ? `ended_${run.ended}` : wrong ? "ended_fit" : "ended_done"),
  ];
  return parts.filter(Boolean).join(" ");
}

function showVerdict() {
  one("verdict").textContent = say(verdict ? verdict.verdict : "noVerdict");
  one("verdict").dataset.verdict = verdict?.verdict ?? "";
  one("contradiction").textContent = verdict?.rows && verdict.point
    ? say("contradiction", { rows: verdict.rows.map((n) => n + 1).join(", "), point: `(${verdict.point.map((a) => short(a, 4)).join(", ")})` })
    : "";
}

function showGrowth() {
  const isPla = state.learner === "pla" && run;
  const drawn = isPla && state.options.eta === 1 ? margin : null;
  one("growth").hidden = one("legend").hidden = !drawn;
  one("sizes").toggleAttribute("hidden", !margin || !isPla);
  const started = isPla && run && run.weights[0].some((a) => a !== 0);
  write(one("bound"), !verdict ? "" : !margin ? say("noTheorem") : [
    say("theoremNumbers", { T: isPla ? (run?.ended === "updates" ? say("moreThan", { n: player.last }) : player.last) : "–", bound: grouped(margin.bound), R: short(margin.R), rho: short(margin.rho) }),
    started ? say("theoremStart") : "", isPla ? "" : say("onlyPla"),
  ].join(" "));
  one("cycle").textContent = round ? say("cycles", { a: round[0], b: round[1] }) : "";
  if (drawn && run) drawGrowth([...one("growth").children], run.weights, drawn, player.at);
  if (margin && isPla) drawBound(one("sizes"), player.last, margin.bound);
}

/** @param {number[] | null} w @param {number} row */
function showSpace(w, row) {
  const svg = one("space");
  svg.toggleAttribute("hidden", !space);
  svg.setAttribute("aria-label", say("space"));
  one("space-note").textContent = verdict && !space ? say("noSpace") : "";
  if (!space) return;
  const seen = drawSpace(svg, space, { w, before: run?.weights[player.at - 1] ?? null, row });
  const hidden = w && w.some((a) => a !== 0) && !seen;
  one("space-note").textContent = `${say("spaceShare", { share: `${short(100 * space.share)} %` })} ${hidden ? say("behind") : ""}`;
}

/** The player of the planes side by side. */
function showSide() {
  const { at, last, playing } = beside.player;
  one("side-place").max = last;
  one("side-place").value = at;
  one("side-place").setAttribute("aria-valuetext", `${say("moment")} ${at} / ${last}`);
  one("side-play").textContent = say(playing ? "pause" : "play");
  for (const id of ["side-play", "side-step", "side-back"]) one(id).disabled = last === 0;
  const names = [...new Set(beside.chosen)];
  if (one("winner").dataset.names !== names.join() + language()) {
    one("winner").dataset.names = names.join() + language();
    one("winner").replaceChildren(...names.map((key) => new Option(say(key), key)));
  }
}

// Guess first: the answers are hidden until they are asked for ---------------------------------

/** @param {boolean} hidden */
function hide(hidden) {
  document.body.classList.toggle("hide-updates", hidden && state.learner === "pla");
  document.body.classList.toggle("hide-winner", hidden);
  one("guessing").hidden = !state.guessFirst || state.learner !== "pla";
  one("winning").hidden = !state.guessFirst;
  one("guessed").textContent = "";
  one("won").textContent = "";
}

function showPrograms() {
  one("programs").hidden = !state.points.length;
  one("python").textContent = state.points.length ? toPython(state) : "";
  one("command").textContent = "separatrix learn points.csv --label label --yes yes";
  const fragment = toFragment(state);
  if (!document.documentElement.classList.contains("figure")) history.replaceState(null, "", fragment.length > 20000 ? "#" : fragment);
}

function showOptions() {
  const box = one("options");
  box.replaceChildren(
    ...LEARNERS[state.learner].fields.map((key) => {
      const field = FIELDS[key];
      const label = document.createElement("label");
      const name = key.startsWith("start") ? `w${"₀₁₂"[Number(key[5])]}` : say(field.word);
      if (key.startsWith("start")) label.className = "pair";
      const choices = choicesOf(state.learner, key);
      const input = choices ? document.createElement("select") : document.createElement("input");
      if (input instanceof HTMLSelectElement) {
        for (const choice of choices ?? []) input.append(new Option(say(choice), choice));
      } else Object.assign(input, { type: "text", inputMode: "decimal", autocomplete: "off" });
      input.value = String(state.options[key]);
      input.id = `option-${key}`;
      input.addEventListener("change", () => {
        const value = checked(state.learner, key, input.value);
        input.setAttribute("aria-invalid", String(value === undefined));
        if (value === undefined) return;
        state.options[key] = value;
        learn();
      });
      label.append(name, input);
      return label;
    }),
  );
}

function showWords() {
  document.documentElement.lang = language();
  document.title = say("title");
  for (const element of document.querySelectorAll("[data-word]")) {
    write(element, say(/** @type {HTMLElement} */ (element).dataset.word ?? ""));
  }
  for (const element of document.querySelectorAll("[data-name]")) {
    const name = say(/** @type {HTMLElement} */ (element).dataset.name ?? "");
    element.setAttribute("aria-label", name);
    element.setAttribute("title", name);
  }
  one("plane").setAttribute("aria-label", say("plane"));
  one("learner").replaceChildren(...Object.keys(LEARNERS).map((key) => new Option(say(key), key)));
  one("learner").value = state.learner;
  const example = one("presets").value;
  one("presets").replaceChildren(new Option("–", ""), ...Object.keys(PRESETS).map((key) => new Option(say(key), key)));
  one("presets").value = example;
  showStarts();
  showExplained();
  showOptions();
  showColumns();
  showTask();
}

// Points ----------------------------------------------------------------------------------------

/** @param {Point[]} points */
function change(points, { remember = true, fit = false, live = false, names = ["x₁", "x₂"] } = {}) {
  if (remember) {
    past.push(state.points);
    if (past.length > 200) past.shift();
    future = [];
  }
  state.points = points;
  one("presets").value = "";
  if (fit) plane.names = names;
  one("undo").disabled = !past.length;
  one("redo").disabled = !future.length;
  learn({ fit, live });
}

/** @param {[number, number]} x @returns {[number, number]} */
function placed(x) {
  const grains = state.snap ? plane.grid() : plane.grain();
  return /** @type {[number, number]} */ (x.map((a, j) => {
    const digits = Math.max(0, 1 - Math.floor(Math.log10(grains[j])));
    return Number((Math.round(a / grains[j]) * grains[j]).toFixed(Math.min(digits, 20)));
  }));
}

/** @param {[number, number]} x @param {1 | -1} y */
function add(x, y) {
  if (state.points.length >= MOST_POINTS) {
    one("now").textContent = say("full");
    return;
  }
  const at = placed(x);
  change([...state.points, { x: at, y }]);
  announce("added", { label: say(y > 0 ? "yes" : "no"), a: at[0], b: at[1], n: state.points.length });
}

/** @param {number} n */
function remove(n) {
  if (n < 0) return;
  change(state.points.filter((_, k) => k !== n));
  announce("removed", { n: state.points.length });
}

/** @param {string} key @param {Record<string, string | number>} [values] */
function announce(key, values = {}) {
  write(one("now"), `${say(key, values)} ${said}`);
}

/** @param {"undo" | "redo"} way */
function travel(way) {
  const [from, to] = way === "undo" ? [past, future] : [future, past];
  const points = from.pop();
  if (!points) return;
  to.push(state.points);
  change(points, { remember: false });
}

/** @type {{n: number, before: Point[]} | null} */ let dragged = null;
let brushed = 0;

/** @type {{x: number, y: number} | null} where a finger was put down and has not moved from: a tap */
let tapped = null;

/** @param {PointerEvent | Touch} event @param {boolean} touch */
const pointAt = (event, touch) => plane.nearest(state.points, plane.under(event), touch ? 26 : 14);

/** Add or erase where the pointer is. @param {PointerEvent} event */
function put(event) {
  if (state.mode === "erase") return remove(pointAt(event, event.pointerType === "touch"));
  if (state.mode !== "drag") add(plane.under(event), state.mode === "yes" ? 1 : -1);
  return undefined;
}

one("plane").addEventListener("touchstart", (/** @type {TouchEvent} */ event) => {
  if (state.brush || pointAt(event.touches[0], true) >= 0) event.preventDefault(); // else a swipe scrolls the page
}, { passive: false });
one("plane").addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
  const touch = event.pointerType === "touch";
  tapped = touch ? { x: event.clientX, y: event.clientY } : null;
  state.keyed = false;
  state.cursor = placed(plane.under(event));
  const n = pointAt(event, touch);
  if (n >= 0 && state.mode !== "erase") {
    dragged = { n, before: state.points };
    one("plane").setPointerCapture(event.pointerId);
  } else if (state.brush && state.mode !== "erase" && state.mode !== "drag") {
    brushed = event.timeStamp;
    one("plane").setPointerCapture(event.pointerId);
    put(event);
  } else if (!touch) put(event);
  plane.drawCursor(null);
});
one("plane").addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
  if (tapped && Math.hypot(event.clientX - tapped.x, event.clientY - tapped.y) < 8) return;
  tapped = null;
  if (dragged) {
    const { n } = dragged;
    const x = placed(plane.under(event));
    change(state.points.map((p, k) => (k === n ? { ...p, x } : p)), { remember: false, live: true });
  } else if (brushed && event.timeStamp - brushed > 60) {
    brushed = event.timeStamp;
    put(event);
  }
});
for (const name of ["pointerup", "pointercancel"]) {
  one("plane").addEventListener(name, (/** @type {PointerEvent} */ event) => {
    // a tap beside a point, though near enough to drag it, adds another
    if (tapped && name === "pointerup" && !brushed && (!dragged || pointAt(event, false) < 0)) put(event);
    tapped = null;
    if (dragged && dragged.before !== state.points) {
      past.push(dragged.before);
      future = [];
      one("undo").disabled = false;
      one("redo").disabled = true;
    }
    dragged = null;
    brushed = 0;
  });
}
one("plane").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
  const moves = /** @type {Record<string, number[]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] });
  const here = state.cursor ?? /** @type {[number, number]} */ ([0, 1].map((j) => (plane.view.low[j] + plane.view.high[j]) / 2));
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (moves[key]) {
    const strides = (state.snap ? plane.grid() : plane.grain()).map((g) => g * (state.snap ? 1 : event.shiftKey ? 2 : 10));
    state.cursor = placed(/** @type {[number, number]} */ (here.map((a, j) => a + moves[key][j] * strides[j])));
    one("now").textContent = say("cursor", { a: state.cursor[0], b: state.cursor[1] });
  } else if (key === "o" || key === "x") add(here, key === "o" ? 1 : -1);
  else if (key === "Delete" || key === "Backspace") remove(plane.nearest(state.points, here, 40));
  else return;
  event.preventDefault();
  event.stopPropagation();
  state.keyed = true;
  plane.drawCursor(state.cursor ?? here);
});
one("plane").addEventListener("blur", () => {
  state.keyed = false;
  plane.drawCursor(null);
});

// Controls --------------------------------------------------------------------------------------

for (const button of one("modes").children) {
  button.addEventListener("click", () => {
    state.mode = button.dataset.mode;
    for (const other of one("modes").children) other.setAttribute("aria-pressed", String(other === button));
  });
}
for (const name of /** @type {("brush" | "snap")[]} */ (["brush", "snap"])) {
  one(name).addEventListener("click", () => {
    state[name] = !state[name];
    one(name).setAttribute("aria-pressed", String(state[name]));
  });
}
one("undo").addEventListener("click", () => travel("undo"));
one("redo").addEventListener("click", () => travel("redo"));
one("clear").addEventListener("click", () => change([], { fit: true }));
one("presets").addEventListener("change", () => {
  const make = PRESETS[one("presets").value];
  const name = one("presets").value;
  if (make) change(make(), { fit: true });
  one("presets").value = name;
});
/** The examples that a beginner meets first. */
const STARTS = ["exSeparable", "exBarely", "exXor", "exFlipped"];

function showStarts() {
  one("starts").replaceChildren(...STARTS.map((key) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: say(key) });
    button.addEventListener("click", () => {
      one("presets").value = key;
      one("presets").dispatchEvent(new Event("change"));
      one("play").focus();
    });
    return button;
  }));
}

// What the words mean: lists behind a question mark.
/** @type {Record<string, string[]>} */
const EXPLAINED = {
  plane: ["whatMarks", "whatWrong", "whatRing", "whatStar", "whatW", "whatNumbers"],
  verdict: ["whatSeparable", "whatHull", "whatFewest"],
  theorem: ["whatT", "whatR", "whatWf", "whatRho", "whatBound"],
  space: ["whatSpace", "whatVersion", "whatWt"],
  compare: ["whatEin", "whatPasses", "whatLooks"],
};

function showExplained() {
  for (const box of document.querySelectorAll("details[data-explain]")) {
    const summary = box.querySelector("summary") ?? document.createElement("summary");
    summary.textContent = say("whatWords");
    const list = document.createElement("ul");
    for (const key of EXPLAINED[/** @type {HTMLElement} */ (box).dataset.explain ?? ""]) {
      const item = document.createElement("li");
      write(item, say(key));
      list.append(item);
    }
    box.replaceChildren(summary, list);
  }
}

/** @param {string} name */
function choose(name) {
  state.learner = name;
  state.options = initialOptions(name);
  one("learner").value = name;
  showOptions();
  learn();
}

one("learner").addEventListener("change", () => choose(one("learner").value));
one("show-fewest").addEventListener("click", () => {
  state.showFewest = !state.showFewest;
  one("show-fewest").setAttribute("aria-pressed", String(state.showFewest));
  showStep();
  announce(!state.showFewest ? "fewestHidden" : best ? "fewestShown" : "fewestAwaited");
});
one("play").addEventListener("click", () => player.toggle());
one("back").addEventListener("click", () => player.go(player.at - 1));
one("step").addEventListener("click", () => player.go(player.at + 1));
one("first").addEventListener("click", () => player.go(0));
one("last").addEventListener("click", () => player.go(player.last));
one("better").addEventListener("click", nextImprovement);
one("place").addEventListener("input", () => player.go(Number(one("place").value)));
one("speed").addEventListener("change", () => (player.speed = Number(one("speed").value)));

/** Go to the next step after which the line makes fewer mistakes than any before. */
function nextImprovement() {
  if (!run) return;
  let fewest = Infinity;
  for (let t = 0; t < run.weights.length; t++) {
    const wrong = mistakes(run.weights[t], X, y, zeroOf(state.learner, state.options)).length;
    if (wrong < fewest && t > player.at) return player.go(t);
    fewest = Math.min(fewest, wrong);
  }
  return player.go(player.last);
}

document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !target.closest("input")) {
    event.preventDefault();
    return travel(event.shiftKey ? "redo" : "undo");
  }
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea, pre, .scroll")) return undefined;
  if (event.key === " " && target.closest("button, summary")) return undefined;
  const act = { " ": () => player.toggle(), ArrowLeft: () => player.go(player.at - 1), ArrowRight: () => player.go(player.at + 1), Home: () => player.go(0), End: () => player.go(player.last) }[event.key];
  if (!act) return undefined;
  event.preventDefault();
  return act();
});
one("guessing").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  const guess = one("guess").value;
  if (guess === "" || !run) return;
  document.body.classList.remove("hide-updates");
  one("guessed").textContent = run.ended === "done" ? say("guessed", { guess, T: player.last }) : say("guessedNever", { guess });
});
one("winning").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  if (!hasBoth()) return;
  const { fewest, learners } = beside.winners();
  document.body.classList.remove("hide-winner");
  const right = learners.includes(one("winner").value);
  const name = learners.map((key) => say(key)).join(language() === "en" ? ", " : "、");
  one("won").textContent = `${say(right ? "guessedRight" : "guessedWrong")} ${say("winnerIs", { name, n: fewest })}`;
});
one("guess-first").addEventListener("click", () => {
  state.guessFirst = !state.guessFirst;
  one("guess-first").setAttribute("aria-pressed", String(state.guessFirst));
  learn();
});
one("side-play").addEventListener("click", () => beside.player.toggle());
one("side-back").addEventListener("click", () => beside.player.go(beside.player.at - 1));
one("side-step").addEventListener("click", () => beside.player.go(beside.player.at + 1));
one("side-place").addEventListener("input", () => beside.player.go(Number(one("side-place").value)));
one("side-count").addEventListener("change", () => {
  beside.widen(Number(one("side-count").value));
  settle();
});
one("language").addEventListener("click", () => {
  speak(language() === "en" ? "zh-Hant" : "en");
  showWords();
  learn();
});
one("large").addEventListener("click", () => {
  const large = document.documentElement.classList.toggle("large");
  one("large").setAttribute("aria-pressed", String(large));
});

// A table of one's own --------------------------------------------------------------------------

/** @param {File | undefined} file */
async function takeTable(file) {
  if (!file) return;
  const why = file.size > 5e6 ? "tooLarge" : accept(readTable(await file.text()));
  if (why) one("table-note").textContent = say("tableBad", { why: say(why) });
}

/** @param {File | undefined} file */
async function takeTask(file) {
  if (!file) return;
  const read = file.size > MOST_BYTES ? null : readTask(await file.text());
  if (read) {
    tasks.splice(0, tasks.length, ...tasks.filter((t) => t.id !== read.id), read);
    setTask(read);
  } else one("answered").textContent = say("taskBad");
}

one("file").addEventListener("change", () => takeTable(one("file").files[0]));

// A file may be dropped anywhere: a task (.json) or a table.
for (const name of /** @type {("dragenter" | "dragover")[]} */ (["dragenter", "dragover"])) {
  document.addEventListener(name, (event) => {
    const carriesFile = event.dataTransfer?.types.includes("Files") ?? false;
    document.body.classList.toggle("dropping", carriesFile);
    if (carriesFile) event.preventDefault();
  });
}
for (const name of ["dragleave", "drop"]) document.addEventListener(name, () => document.body.classList.remove("dropping"));
document.addEventListener("drop", async (event) => {
  const file = event.dataTransfer?.files[0];
  if (!file) return;
  event.preventDefault();
  const isTask = file.name.toLowerCase().endsWith(".json");
  await (isTask ? takeTask(file) : takeTable(file));
  one(isTask ? "task-text" : "table-note").scrollIntoView({ block: "center" });
});

/** @param {import("lab/table.js").Table} table @returns {string} why not, or "" */
function accept(table) {
  const label = table.binary.find((j) => table.numeric.filter((k) => k !== j).length > 1);
  if (table.numeric.length < 2) return "noNumbers";
  if (label === undefined) return "noLabel";
  state.table = table;
  const [across, up] = table.numeric.filter((j) => j !== label);
  const values = [...new Set(table.rows.map((row) => row[label].trim()).filter(Boolean))].sort();
  showTable({ label, yes: values[1], across, up });
  return "";
}

/** @type {{label: number, yes: string, across: number, up: number} | null} */ let chosen = null;

/** @param {{label: number, yes: string, across: number, up: number}} asked */
function showTable(asked) {
  if (!state.table) return;
  chosen = asked;
  const { points, left, missing } = pointsOf(state.table, asked);
  const named = (/** @type {number} */ j) => (j < 0 ? say("principal", { k: -j }) : state.table?.names[j] ?? "");
  change(points.slice(0, MOST_POINTS), { fit: true, names: [named(asked.across), named(asked.up)] });
  one("table-note").textContent = [
    say("tableRows", { n: Math.min(points.length, MOST_POINTS), left }),
    missing.length ? say("tableMissing", { columns: missing.map(({ name, count }) => `${name} (${count})`).join(", ") }) : "",
    state.table.ragged ? say("tableRagged", { n: state.table.ragged }) : "",
    asked.across < 0 || asked.up < 0 ? say("principalNote") : "",
    points.length > MOST_POINTS ? say("tableCut") : "",
  ].filter(Boolean).join(" ");
  showColumns();
}

function showColumns() {
  const box = one("columns");
  box.replaceChildren();
  one("all-columns").hidden = !state.table;
  if (!state.table || !chosen) return;
  const { names, numeric, binary, rows: cells } = state.table;
  const pick = chosen;
  const values = [...new Set(cells.map((row) => row[pick.label].trim()).filter(Boolean))].sort();
  const axes = /** @type {[string, string][]} */ ([
    ...numeric.map((j) => [names[j], String(j)]),
    ...(numeric.filter((j) => j !== pick.label).length > 1 ? PRINCIPAL.map((j) => [say("principal", { k: -j }), String(j)]) : []),
  ]);
  const fields = /** @type {["label" | "yes" | "across" | "up", string, [string, string][]][]} */ ([
    ["label", "label", binary.map((j) => [names[j], String(j)])],
    ["yes", "yesIs", values.map((v) => [v, v])],
    ["across", "across", axes],
    ["up", "up", axes],
  ]);
  for (const [key, word, choices] of fields) {
    const label = document.createElement("label");
    const select = document.createElement("select");
    select.append(...choices.map(([text, value]) => new Option(text, value)));
    select.value = String(pick[key]);
    select.addEventListener("change", () => {
      const other = key === "across" ? "up" : "across";
      const value = Number(select.value);
      const next = { ...pick, [key]: key === "yes" ? select.value : Number(select.value) };
      if (key === "label") next.yes = [...new Set(cells.map((row) => row[next.label].trim()).filter(Boolean))].sort()[1];
      // one direction by itself says little: both come, and go, together
      if ((key === "across" || key === "up") && value < 0 !== pick[other] < 0) {
        next[other] = value < 0 ? -3 - value : numeric.find((j) => j !== value && j !== pick.label) ?? value;
      }
      showTable(next);
    });
    label.append(say(word), select);
    box.append(label);
  }
  one("all-columns").textContent = `${say("allColumns")}\nseparatrix learn FILE --label ${quoted(names[pick.label])} --yes ${quoted(pick.yes)}`;
}

/** @param {string} text */
const quoted = (text) => (/^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

// Homework --------------------------------------------------------------------------------------

/** Whether homework asks for this, and it is not found yet. @param {"updates" | "fewest"} what */
const sought = (what) => task?.kind === what && !taskOpen;

function showTask() {
  one("task").replaceChildren(new Option("–", ""), ...tasks.map((t) => new Option(t.title[language()], t.id)));
  one("task").value = task?.id ?? "";
  one("task-text").textContent = task ? `${task.text[language()]} ${say(task.kind === "points" ? "answerPoints" : "taskPoints")}` : "";
  one("answering").hidden = !task;
  one("answer-label").hidden = task?.kind === "points";
  one("answered").textContent = "";
  document.documentElement.classList.toggle("tasked", task !== null); // on a phone it moves above the plane
}

/** @param {import("lab/homework.js").Task | null} chosenTask */
function setTask(chosenTask) {
  task = chosenTask;
  taskOpen = false;
  one("answer").value = "";
  if (task) {
    Object.assign(state, { learner: "pla", options: optionsOfTask(task) });
    one("learner").value = "pla";
    showOptions();
    change(pointsOfTask(task), { fit: true });
  }
  showTask();
  if (task && matchMedia("(max-width: 30rem)").matches) one("task").scrollIntoView();
}

one("task").addEventListener("change", () => setTask(tasks.find((t) => t.id === one("task").value) ?? null));
one("task-file").addEventListener("change", () => takeTask(one("task-file").files[0]));
/** What is missing before an answer can be checked or handed in; "" where nothing is. */
function missing() {
  if (!task || task.kind === "points") return "";
  const wanted = ["weights", "line"].includes(task.kind) ? 3 : 1;
  const typed = numbersIn(one("answer").value);
  return typed.length === wanted && typed.every(Number.isFinite) ? "" : wanted === 3 ? "answerThree" : "answerOne";
}

one("answering").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  if (!task) return;
  if (!missing()) taskOpen = true;
  showStep();
  const right = () => check(/** @type {any} */ (task), one("answer").value, state.points).right;
  one("answered").textContent = say(missing() || (right() ? "answerRight" : "answerWrong"));
});
one("hand-in").addEventListener("click", () => {
  if (!task) return;
  const student = one("student").value.trim();
  const why = missing() || (student ? "" : "studentMissing");
  if (why) {
    one("answered").textContent = say(why);
    return;
  }
  const checked = check(task, one("answer").value, state.points);
  const file = `${task.id}-${student.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60)}.json`;
  save(file, new Blob([handIn(task, student, checked)], { type: "application/json" }));
  one("answered").textContent = `${say(checked.right ? "answerRight" : "answerWrong")} ${say("saved", { file })}`;
});

// Files -----------------------------------------------------------------------------------------

/** @param {string} name @param {Blob} blob */
function save(name, blob) {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(blob);
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10000);
}

/** The picture by itself, its colours written into it. */
function picture() {
  const copy = /** @type {SVGSVGElement} */ (one("plane").cloneNode(true));
  const shown = one("plane").querySelectorAll("*");
  copy.querySelectorAll("*").forEach((element, i) => {
    const style = getComputedStyle(shown[i]);
    for (const key of ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "fill-opacity", "font", "text-anchor"]) {
      element.setAttribute(key, style.getPropertyValue(key));
    }
    element.removeAttribute("class");
  });
  for (const key of ["tabindex", "id", "role"]) copy.removeAttribute(key);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", "600");
  copy.setAttribute("height", "600");
  copy.prepend(piece("rect", { width: 600, height: 600, fill: getComputedStyle(document.body).backgroundColor }));
  return new XMLSerializer().serializeToString(copy);
}

one("link").addEventListener("click", async () => {
  const link = location.href.split("#")[0] + toFragment(state);
  try {
    await navigator.clipboard.writeText(link);
    one("shared").textContent = say("copied");
  } catch {
    one("shared").textContent = link;
  }
});
one("save-csv").addEventListener("click", () => save("points.csv", new Blob([toCsv(state.points)], { type: "text/csv" })));
one("save-svg").addEventListener("click", () => save("plane.svg", new Blob([picture()], { type: "image/svg+xml" })));
one("save-png").addEventListener("click", async () => {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(picture());
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 1200, height: 1200 });
  canvas.getContext("2d")?.drawImage(image, 0, 0, 1200, 1200);
  canvas.toBlob((blob) => blob && save("plane.png", blob), "image/png");
});

// Beginning -------------------------------------------------------------------------------------

/** Take the state of the address. */
function open() {
  const fragment = location.hash;
  const found = fragment.length > 1 ? fromFragment(decoded(fragment)) : null;
  one("problem").hidden = !(fragment.length > 1 && !found);
  one("problem").textContent = say("badLink", { why: say("badLinkWhy") });
  if (found) {
    Object.assign(state, found);
    const asked = pageOf(fragment);
    if (asked.language) speak(asked.language);
    document.documentElement.classList.toggle("figure", asked.figure);
    past = [];
    future = [];
  }
  showWords();
  change(state.points, { remember: false, fit: true });
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "#damaged=1";
  }
}

speak(navigator.language?.toLowerCase().startsWith("zh") ? "zh-Hant" : "en");
window.addEventListener("hashchange", () => {
  if (location.hash !== toFragment(state)) open();
});
open();
document.documentElement.dataset.ready = "yes";
performance.mark("ready");
