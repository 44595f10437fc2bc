// Two to four learners side by side on the same points, played in step.

import { meanError } from "lab/error_measures.js";
import { LEARNERS, initialOptions, zeroOf } from "lab/learners.js";
import { Plane, viewOf } from "lab/plane.js";
import { Player } from "lab/play.js";
import { ruleOf, wrongUnder } from "lab/rule.js";
import { piece, write } from "lab/svg.js";
import { say, short } from "lab/words.js";

/**
 * @typedef {import("lab/presets.js").Point} Point
 * @typedef {import("lab/error_measures.js").Measure} Measure
 * @typedef {import("lab/pla.js").Walk} Walk
 * @typedef {{learner: string, options: Record<string, any>, plane: Plane, run: Walk | null, values: HTMLElement[]}} Column
 */

const FIRST = ["pla", "pocket", "linear", "fewest"];
const MEASURES = /** @type {Measure[]} */ (["zero_one", "perceptron", "squared", "cross_entropy"]);
const LINES = ["moment", "wrong", ...MEASURES, "updates", "passes", "looks"];

/** The table of planes and numbers, and what plays them. */
export class SideBySide {
  /**
   * @param {HTMLElement} box
   * @param {() => void} moved called after every move
   */
  constructor(box, moved) {
    this.box = box;
    this.moved = moved;
    this.player = new Player(() => this.show());
    this.chosen = FIRST.slice(0, 3);
    /** @type {Point[]} */ this.points = [];
    /** @type {import("lab/plane.js").View} */ this.view = viewOf([]);
    /** @type {{learner: string, options: Record<string, any>, run: Walk | null} | null} */ this.main = null;
    this.waiting = 0;
    /** @type {Column[]} */ this.columns = [];
  }

  /** @param {number} count of columns */
  widen(count) {
    this.chosen = Array.from({ length: count }, (_, k) => this.chosen[k] ?? FIRST[k]);
  }

  /**
   * Run the chosen learners on some points, each in a task of its own.
   * @param {Point[]} points
   * @param {import("lab/plane.js").View} view
   * @param {{learner: string, options: Record<string, any>, run: Walk | null}} main the learner of the page
   */
  learn(points, view, main, at = Infinity) {
    this.wait();
    [this.points, this.view, this.main] = [points, view, main];
    /** @type {Column[]} */ const columns = [];
    const next = () => {
      if (columns.length < this.chosen.length) {
        columns.push(this.column(this.chosen[columns.length]));
        this.waiting = window.setTimeout(next, 0);
      } else {
        this.waiting = 0;
        this.lay(columns, at);
      }
    };
    this.waiting = window.setTimeout(next, 0);
  }

  get busy() {
    return this.waiting !== 0;
  }

  /** Stop running learners: the points change. */
  wait() {
    clearTimeout(this.waiting);
    this.waiting = 0;
  }

  /** @param {string} learner @returns {Column} */
  column(learner) {
    const { main, points } = this;
    const [X, y] = [points.map((p) => [1, ...p.x]), points.map((p) => p.y)];
    const own = learner === main?.learner;
    const options = own ? main.options : initialOptions(learner);
    const ready = y.includes(1) && y.includes(-1);
    const run = own ? main.run : ready ? LEARNERS[learner].run(X, y, options) : null;
    const plane = new Plane(/** @type {SVGSVGElement} */ (piece("svg", { role: "img", class: "small-plane" })), { small: true });
    plane.view = this.view;
    return { learner, options, plane, run, values: [] };
  }

  /** Lay out the table, and go to a step. @param {Column[]} columns */
  lay(columns, at = Infinity) {
    this.columns = columns;
    const table = document.createElement("table");
    table.className = "side-by-side";
    const [names, planes] = [table.createTHead().insertRow(), table.insertRow()];
    names.insertCell().textContent = say("learner");
    planes.insertCell();
    this.columns.forEach((column, k) => {
      const select = document.createElement("select");
      select.append(...Object.keys(LEARNERS).map((key) => new Option(say(key), key)));
      select.value = column.learner;
      select.setAttribute("aria-label", `${say("learner")} ${k + 1}`);
      select.addEventListener("change", () => {
        this.chosen[k] = select.value;
        const chosen = this.column(select.value);
        this.lay(this.columns.map((c, i) => (i === k ? chosen : { ...c, values: [] })), this.player.at);
        this.box.querySelectorAll("select")[k].focus();
      });
      const head = document.createElement("th");
      head.scope = "col";
      head.append(select);
      names.append(head);
      planes.insertCell().append(column.plane.svg);
    });
    for (const key of LINES) {
      const line = table.insertRow();
      const head = document.createElement("th");
      head.scope = "row";
      write(head, MEASURES.includes(/** @type {Measure} */ (key)) ? `E_in, ${say(key)}` : say(key));
      line.append(head);
      for (const column of this.columns) column.values.push(line.insertCell());
    }
    for (const row of [...table.rows].slice(1)) row.hidden = !this.points.length;
    this.box.replaceChildren(table);
    const last = Math.max(0, ...columns.map(({ run }) => (run ? run.weights.length - 1 : 0)));
    this.player.reset(last, at);
    this.show();
  }

  /** Show the step that all stand at; who has ended earlier stays at the end. */
  show() {
    for (const column of this.columns) {
      const { learner, options, plane, run, values } = column;
      const at = run ? Math.min(this.player.at, run.weights.length - 1) : 0;
      const w = run?.best?.[at] ?? run?.weights[at] ?? null;
      const rule = run && ruleOf(learner, options, this.points, run, at);
      const wrong = wrongUnder(rule, w, this.points, zeroOf(learner, options));
      plane.drawLine(rule ? null : w);
      plane.drawRegion(rule, 30);
      plane.drawPoints(this.points, wrong);
      const shown = run ? this.numbers(column, at, w, rule ? null : wrong.length, wrong.length) : LINES.map(() => "–");
      values.forEach((cell, k) => (cell.textContent = shown[k]));
      plane.svg.setAttribute("aria-label", run ? `${say(learner)}: ${say("errors", { n: wrong.length, N: this.points.length, share: short(wrong.length / this.points.length) })}` : `${say(learner)}: ${say("noLine")}`);
    }
    this.moved();
  }

  /**
   * The numbers of a column, in the order of LINES.
   * @param {Column} column
   * @param {number} at
   * @param {number[] | null} w
   * @param {number | null} line mistakes of a line; null: the rule is none
   * @param {number} wrong
   */
  numbers({ run }, at, w, line, wrong) {
    if (!run) return [];
    const [X, y] = [this.points.map((p) => [1, ...p.x]), this.points.map((p) => p.y)];
    const usable = line !== null && w && w.every(Number.isFinite) ? w : null;
    const last = run.weights.length - 1;
    return [
      `${at} / ${last}`,
      String(wrong),
      ...MEASURES.map((m) => (m === "zero_one" ? short(wrong / y.length) : usable ? short(meanError(usable, X, y, m)) : "–")),
      String(run.rows.length),
      String(run.passes),
      run.looks === undefined ? "–" : String(run.looks),
    ];
  }

  /** The chosen learners with the fewest mistakes at their ends. */
  winners() {
    const wrong = this.columns.map(({ learner, options, run }) => {
      if (!run) return Infinity;
      const last = run.weights.length - 1;
      const rule = ruleOf(learner, options, this.points, run, last);
      return wrongUnder(rule, run.best?.[last] ?? run.weights[last], this.points, zeroOf(learner, options)).length;
    });
    const fewest = Math.min(...wrong);
    return { fewest, learners: this.chosen.filter((_, k) => wrong[k] === fewest) };
  }
}
