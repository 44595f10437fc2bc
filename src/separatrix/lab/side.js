// Two to four learners side by side on the same points, played in step.

import { meanError } from "lab/error_measures.js";
import { LEARNERS, initialOptions } from "lab/learners.js";
import { Plane } from "lab/plane.js";
import { Player } from "lab/play.js";
import { ruleOf, wrongUnder } from "lab/rule.js";
import { piece, write } from "lab/svg.js";
import { say, short } from "lab/words.js";

/**
 * @typedef {import("lab/presets.js").Point} Point
 * @typedef {import("lab/error_measures.js").Measure} Measure
 * @typedef {{learner: string, options: Record<string, any>, plane: Plane, run: import("lab/pla.js").Walk | null, values: HTMLElement[]}} Column
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
    /** @type {Column[]} */ this.columns = [];
  }

  /** @param {number} count of columns */
  widen(count) {
    this.chosen = Array.from({ length: count }, (_, k) => this.chosen[k] ?? FIRST[k]);
  }

  /**
   * Run the chosen learners on some points.
   * @param {Point[]} points
   * @param {import("lab/plane.js").View} view
   * @param {{learner: string, options: Record<string, any>}} main the learner of the page, with its options
   */
  learn(points, view, main, at = Infinity) {
    this.points = points;
    const [X, y] = [points.map((p) => [1, ...p.x]), points.map((p) => p.y)];
    const ready = y.includes(1) && y.includes(-1);
    this.columns = this.chosen.map((learner) => {
      const options = learner === main.learner ? main.options : initialOptions(learner);
      const plane = new Plane(/** @type {SVGSVGElement} */ (piece("svg", { role: "img", class: "small-plane" })), { small: true });
      plane.view = view;
      return { learner, options, plane, run: ready ? LEARNERS[learner].run(X, y, options) : null, values: [] };
    });
    this.lay(() => this.learn(points, view, main, this.player.at));
    const last = Math.max(0, ...this.columns.map(({ run }) => (run ? run.weights.length - 1 : 0)));
    this.player.reset(last, Math.min(at, last));
    this.show();
  }

  /** Lay out the table. @param {() => void} again called after a choice */
  lay(again) {
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
        again();
        this.box.querySelectorAll("select")[k].focus();
      });
      const head = document.createElement("th");
      head.scope = "col";
      head.append(select);
      names.append(head);
      planes.insertCell().append(column.plane.svg);
      column.plane.drawPoints(this.points, new Set());
    });
    for (const key of LINES) {
      const line = table.insertRow();
      const head = document.createElement("th");
      head.scope = "row";
      write(head, MEASURES.includes(/** @type {Measure} */ (key)) ? `E_in, ${say(key)}` : say(key));
      line.append(head);
      for (const column of this.columns) column.values.push(line.insertCell());
    }
    this.box.replaceChildren(table);
  }

  /** Show the step that all stand at; who has ended earlier stays at the end. */
  show() {
    for (const column of this.columns) {
      const { learner, options, plane, run, values } = column;
      const at = run ? Math.min(this.player.at, run.weights.length - 1) : 0;
      const w = run?.best?.[at] ?? run?.weights[at] ?? null;
      const rule = run && ruleOf(learner, options, this.points, run, at);
      const wrong = wrongUnder(rule, w, this.points);
      plane.drawLine(rule ? null : w);
      plane.drawRegion(rule, 30);
      plane.drawPoints(this.points, new Set(wrong));
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
      return wrongUnder(rule, run.best?.[last] ?? run.weights[last], this.points).length;
    });
    const fewest = Math.min(...wrong);
    return { fewest, learners: this.chosen.filter((_, k) => wrong[k] === fewest) };
  }
}
