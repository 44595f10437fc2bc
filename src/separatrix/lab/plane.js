// The plane: points, the line with the sides it says yes and no to, and w as its normal vector.

import { path, piece, spacing, ticks } from "lab/svg.js";
import { short } from "lab/words.js";

const SIZE = 600;
const RIM = 34;
const MOST_NUMBERED = 30;
const LINES = 6; // of the grid, about

/**
 * @typedef {import("lab/presets.js").Point} Point
 * @typedef {{low: [number, number], high: [number, number]}} View
 */

/**
 * The window that shows all points; equal scales unless one axis is much longer.
 * @param {Point[]} points
 * @returns {View}
 */
export function viewOf(points) {
  if (!points.length) return { low: [-10, -10], high: [10, 10] };
  const low = [0, 1].map((j) => Math.min(...points.map((p) => p.x[j])));
  const high = [0, 1].map((j) => Math.max(...points.map((p) => p.x[j])));
  let spans = [0, 1].map((j) => high[j] - low[j]);
  const widest = Math.max(...spans) || Math.max(1, Math.abs(low[0]), Math.abs(low[1])) / 2;
  spans = spans.map((s) => (s > widest / 6 ? widest : s || widest));
  const middle = [0, 1].map((j) => low[j] / 2 + high[j] / 2);
  const half = spans.map((s) => 0.62 * s);
  return {
    low: [middle[0] - half[0], middle[1] - half[1]],
    high: [middle[0] + half[0], middle[1] + half[1]],
  };
}

/** @param {View} view */
export const toScale = (view) => {
  const [a, b] = [0, 1].map((j) => view.high[j] - view.low[j]);
  return Math.abs(a - b) < 1e-9 * Math.max(a, b);
};

/** Draws the plane, and says in its coordinates where a pointer is. */
export class Plane {
  /**
   * @param {SVGSVGElement} svg
   * @param {{small?: boolean}} [how] small: without axes, with larger marks
   */
  constructor(svg, { small = false } = {}) {
    this.svg = svg;
    this.rim = small ? 0 : RIM;
    this.mark = small ? 1.8 : window.innerWidth < 480 ? 1.4 : 1; // a phone's plane is small too
    this.view = viewOf([]);
    svg.setAttribute("viewBox", `0 0 ${SIZE} ${SIZE}`);
    const layer = (/** @type {string} */ name) => svg.appendChild(piece("g", { class: name }));
    this.sides = layer("sides");
    this.axes = layer("axes");
    this.others = layer("others");
    this.line = layer("line");
    this.marks = layer("marks");
    this.points = layer("points");
    for (const name of ["wrong", "yes", "no"]) this.points.append(piece("path", { d: "", class: name }));
    /** @type {string[]} */ this.dots = [];
    this.numbers = layer("numbers");
    this.vectors = layer("vectors");
    this.names = ["x₁", "x₂"];
    this.cursor = layer("cursor");
    /** @type {Point[] | null} */ this.drawn = null;
    /** @type {View | null} */ this.drawnIn = null;
    /** @type {{points: Point[], view: View, at: number[], covered: number} | null} */ this.corner = null;
  }

  /** @param {number[]} x @returns {[number, number]} */
  pixel(x) {
    const share = [0, 1].map((j) => (x[j] - this.view.low[j]) / (this.view.high[j] - this.view.low[j]));
    return [this.rim + (SIZE - this.rim) * share[0], (SIZE - this.rim) * (1 - share[1])];
  }

  /**
   * The point of the plane under a pointer.
   * @param {{clientX: number, clientY: number}} event
   * @returns {[number, number]}
   */
  under(event) {
    const box = this.svg.getBoundingClientRect();
    const size = Math.min(box.width, box.height) || 1;
    const px = ((event.clientX - box.left - (box.width - size) / 2) / size) * SIZE;
    const py = ((event.clientY - box.top - (box.height - size) / 2) / size) * SIZE;
    const share = [(px - this.rim) / (SIZE - this.rim), 1 - py / (SIZE - this.rim)];
    return /** @type {[number, number]} */ (
      share.map((s, j) => this.view.low[j] + s * (this.view.high[j] - this.view.low[j]))
    );
  }

  /** A step along each axis that is small to the eye: what points are rounded to. */
  grain() {
    return [0, 1].map((j) => 10 ** Math.floor(Math.log10((this.view.high[j] - this.view.low[j]) / 200)));
  }

  /** What points snap to along each axis: a fourth or a fifth of the grid that is drawn. */
  grid() {
    return [0, 1].map((j) => {
      const step = spacing(this.view.low[j], this.view.high[j], LINES);
      return step / (String(step).match(/[1-9]/)?.[0] === "2" ? 4 : 5);
    });
  }

  /** @param {Point[]} points */
  nearest(points, /** @type {number[]} */ x, reach = 16) {
    const [px, py] = this.pixel(x);
    let best = -1;
    let least = reach;
    points.forEach((p, n) => {
      const [qx, qy] = this.pixel(p.x);
      const away = Math.hypot(px - qx, py - qy);
      if (away < least) [best, least] = [n, away];
    });
    return best;
  }

  drawAxes() {
    const { low, high } = this.view;
    const [across, up] = this.names.map((name) => (name.length > 24 ? `${name.slice(0, 23)}…` : name));
    const parts = [];
    for (const j of [0, 1]) {
      for (const value of ticks(low[j], high[j], LINES)) {
        const [px, py] = this.pixel(j ? [low[0], value] : [value, low[1]]);
        const atEdge = j ? py < 10 || py > SIZE - this.rim - 4 : px < this.rim + 4 || px > SIZE - 14;
        parts.push(
          j
            ? piece("line", { x1: this.rim, x2: SIZE, y1: py, y2: py, class: value === 0 ? "zero" : "grid" })
            : piece("line", { x1: px, x2: px, y1: 0, y2: SIZE - this.rim, class: value === 0 ? "zero" : "grid" }),
        );
        if (atEdge) continue;
        parts.push(
          j
            ? piece("text", { x: this.rim - 5, y: py + 4, class: "tick end" }, short(value, 4))
            : piece("text", { x: px, y: SIZE - this.rim + 16, class: "tick middle" }, short(value, 4)),
        );
      }
    }
    parts.push(piece("text", { x: SIZE - 4, y: SIZE - 4, class: "tick end axis" }, across), piece("text", { x: this.rim + 6, y: 14, class: "tick axis" }, up));
    this.axes.replaceChildren(...parts);
  }

  /**
   * All points of a label are one path, and so are the dots behind the wrong ones: a step costs much
   * the same for 5 points and for 500.
   * @param {Point[]} points
   * @param {number[]} wrong
   */
  drawPoints(points, wrong) {
    const [behind, yes, no] = this.points.children;
    if (points !== this.drawn || this.view !== this.drawnIn) {
      [this.drawn, this.drawnIn] = [points, this.view];
      const size = this.mark * (points.length > 150 ? 0.62 : 1);
      const [r, arm] = [6.5 * size, 6 * size];
      const shapes = ["", ""];
      this.points.classList.toggle("many", points.length > 150);
      this.dots = points.map((p) => {
        const [px, py] = this.pixel(p.x).map((a) => Math.round(10 * a) / 10);
        if (p.y > 0) shapes[0] += `M${px - r} ${py}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
        else shapes[1] += `M${px - arm} ${py - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}`;
        return `M${px} ${py}h0`;
      });
      const named = this.rim > 0 && points.length <= MOST_NUMBERED ? points : [];
      this.numbers.replaceChildren(...named.map((p, n) => {
        const [px, py] = this.pixel(p.x);
        return piece("text", { x: px + 9 * size, y: py - 7 * size, class: "tick" }, String(n + 1));
      }));
      yes.setAttribute("d", shapes[0]);
      no.setAttribute("d", shapes[1]);
    }
    behind.setAttribute("d", wrong.map((n) => this.dots[n]).join(""));
  }

  /**
   * The corners of the window on the side w.x > 0, against the clock.
   * @param {number[]} w
   */
  half(w) {
    const { low, high } = this.view;
    const corners = [[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]];
    const score = (/** @type {number[]} */ x) => w[0] + w[1] * x[0] + w[2] * x[1];
    return corners.flatMap((p, i) => {
      const q = corners[(i + 1) % 4];
      const [a, b] = [score(p), score(q)];
      const kept = a > 0 ? [p] : [];
      if (a > 0 !== b > 0 && a !== b) kept.push([0, 1].map((j) => p[j] + (a / (a - b)) * (q[j] - p[j])));
      return kept;
    });
  }

  /** @param {number[]} w @returns {number[][]} where the line meets the window: two points, or none */
  ends(w) {
    const { low, high } = this.view;
    const found = [];
    for (const value of [low[0], high[0]]) {
      const other = -(w[0] + w[1] * value) / w[2];
      if (other >= low[1] && other <= high[1]) found.push([value, other]);
    }
    for (const value of [low[1], high[1]]) {
      const other = -(w[0] + w[2] * value) / w[1];
      if (other >= low[0] && other <= high[0]) found.push([other, value]);
    }
    found.sort((p, q) => p[0] - q[0] || p[1] - q[1]);
    return found.length > 1 ? [found[0], found[found.length - 1]] : [];
  }

  /**
   * The line of w with its sides, its normal vector, and lines to compare with.
   * @param {number[] | null} w
   * @param {{w: number[], name: string}[]} others
   */
  drawLine(w, others = []) {
    const pixels = (/** @type {number[][]} */ some) => some.map((x) => this.pixel(x));
    this.line.replaceChildren();
    this.sides.replaceChildren();
    this.others.replaceChildren(
      ...others.map(({ w: v, name }) => piece("path", { d: path(pixels(this.ends(v))), class: `line ${name}` })),
    );
    if (!w || !w.every(Number.isFinite)) return;
    for (const [weights, name] of /** @type {[number[], string][]} */ ([[w, "yes-side"], [w.map((a) => -a), "no-side"]])) {
      const corners = this.half(weights);
      if (corners.length > 2) this.sides.append(piece("path", { d: path(pixels(corners)) + "Z", class: name }));
    }
    const ends = pixels(this.ends(w));
    if (ends.length < 2) return;
    this.line.append(piece("path", { d: path(ends), class: "line" }));
    const middle = [(ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2];
    const scale = [0, 1].map((j) => (SIZE - this.rim) / (this.view.high[j] - this.view.low[j]));
    const across = toScale(this.view) ? [w[1], -w[2]] : [w[1] * scale[0], -w[2] * scale[1]];
    const length = Math.hypot(across[0], across[1]);
    if (length > 0) this.arrow(this.line, middle, across.map((a) => (60 * a) / length), "normal", "w");
  }

  /**
   * @param {Element} layer
   * @param {number[]} from pixels
   * @param {number[]} by
   * @param {string} name
   * @param {string} label
   * @param {number[]} [aside] where its name goes
   */
  arrow(layer, from, by, name, label, aside = [0, 0]) {
    const length = Math.hypot(by[0], by[1]);
    if (!(length > 1)) return;
    const to = [from[0] + by[0], from[1] + by[1]];
    const [u, v] = [by[0] / length, by[1] / length];
    const head = [[to[0] - 9 * u + 4 * v, to[1] - 9 * v - 4 * u], to, [to[0] - 9 * u - 4 * v, to[1] - 9 * v + 4 * u]];
    layer.append(
      piece("path", { d: path([from, to]), class: `vector ${name}` }),
      piece("path", { d: path(head), class: `vector head ${name}` }),
      name === "added"
        ? piece("text", { x: from[0] + by[0] / 2 - 14 * v - 8, y: from[1] + by[1] / 2 + 14 * u + 4, class: `vector-name ${name}` }, label)
        : name === "old"
          ? piece("text", { x: from[0] + by[0] / 2 + 13 * aside[0] - 4, y: from[1] + by[1] / 2 + 13 * aside[1] + 4, class: "vector-name" }, label)
          : piece("text", { x: to[0] + 10 * u - 4, y: to[1] + 12 * v + 4, class: `vector-name ${name}` }, label),
    );
  }

  /**
   * One update: w, y x put to its end, and the new w, from a common foot; the mistake is ringed.
   * @param {Point | null} mistake
   * @param {number[]} before
   * @param {number[]} after
   */
  drawUpdate(mistake, before, after, /** @type {Point[]} */ points = []) {
    this.vectors.replaceChildren();
    this.marks.replaceChildren();
    if (!mistake) return;
    const [px, py] = this.pixel(mistake.x);
    this.marks.append(piece("circle", { cx: px, cy: py, r: 13 * this.mark, class: "mistake" }));
    const added = [1, 2].map((j) => after[j] - before[j]);
    if (![...before, ...after].some((a, j) => a !== 0 && j % 3 > 0)) return; // w_0 alone changes: no arrow
    const { at: middle, covered } = this.emptiestCorner(points);
    const spans = [1, 2].map((j) => [Math.min(0, before[j], after[j]), Math.max(0, before[j], after[j])]);
    const size = 84 / Math.max(...spans.map(([low, high]) => high - low));
    const [across, up] = spans.map(([low, high]) => ((low + high) / 2) * size);
    const foot = [middle[0] - across, middle[1] + up];
    const old = [before[1] * size, -before[2] * size];
    this.vectors.append(piece("circle", { cx: middle[0], cy: middle[1], r: 74, class: covered ? "inset bare" : "inset" }));
    const fresh = [after[1] * size, -after[2] * size];
    const turn = old[0] * fresh[1] - old[1] * fresh[0] > 0 ? 1 : -1;
    const along = Math.hypot(old[0], old[1]) || 1;
    const aside = [(turn * old[1]) / along, (-turn * old[0]) / along];
    this.arrow(this.vectors, foot, old, "old", "w", aside);
    this.arrow(this.vectors, [foot[0] + old[0], foot[1] + old[1]], [added[0] * size, -added[1] * size], "added", Math.hypot(added[0], added[1]) * size < 24 ? "" : mistake.y > 0 ? "+x" : "−x");
    this.arrow(this.vectors, foot, [after[1] * size, -after[2] * size], "new", "w′");
  }

  /**
   * The middle of the inset for vectors: the corner, or else the edge, with the fewest points.
   * @param {Point[]} points
   */
  emptiestCorner(points) {
    if (this.corner?.points === points && this.corner.view === this.view) return this.corner;
    const [near, far] = [this.rim + 78, SIZE - 78];
    const [low, middle] = [far - this.rim, (SIZE - this.rim) / 2];
    const corners = [[near, low], [far, low], [near, 98], [far, 78], [near, middle], [far, middle], [this.rim + middle, low], [this.rim + middle, 78], [this.rim + middle, middle]];
    const pixels = points.map((p) => this.pixel(p.x));
    const covered = corners.map(([x, y]) => pixels.filter(([px, py]) => Math.hypot(px - x, py - y) < 84).length);
    const least = Math.min(...covered);
    this.corner = { points, view: this.view, at: corners[covered.indexOf(least)], covered: least };
    return this.corner;
  }

  /**
   * Where a rule of another kind says yes: squares of a grid.
   * @param {((x: number[]) => number) | null} score
   * @param {number} [count] of squares a side
   */
  drawRegion(score, count = 60) {
    if (!score) return;
    const size = (SIZE - this.rim) / count;
    const yes = [];
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < count; j++) {
        const x = [0, 1].map((k) => this.view.low[k] + (((k ? count - 1 - j : i) + 0.5) / count) * (this.view.high[k] - this.view.low[k]));
        if (score(x) > 0) yes.push(`M${(this.rim + i * size).toFixed(1)} ${(j * size).toFixed(1)}h${size.toFixed(2)}v${size.toFixed(2)}h${-size.toFixed(2)}Z`);
      }
    }
    this.sides.replaceChildren(
      piece("rect", { x: this.rim, y: 0, width: SIZE - this.rim, height: SIZE - this.rim, class: "no-side" }),
      piece("path", { d: yes.join(""), class: "yes-region" }),
    );
  }

  /** @param {number[] | null} x */
  drawCursor(x) {
    this.cursor.replaceChildren();
    if (!x) return;
    const [px, py] = this.pixel(x);
    this.cursor.append(piece("path", { d: `M${px - 12} ${py}h24M${px} ${py - 12}v24`, class: "crosshair" }));
  }

  /** @param {number[][]} shared points that prove a contradiction, and the point they share */
  drawContradiction(shared) {
    if (!shared.length) return;
    const [px, py] = this.pixel(shared[shared.length - 1]);
    for (const x of shared.slice(0, -1)) {
      const [qx, qy] = this.pixel(x);
      this.marks.append(piece("path", { d: path([[qx, qy], [px, py]]), class: "tie" }));
    }
    this.marks.append(piece("path", { d: `M${px} ${py - 7}l7 7l-7 7l-7 -7Z`, class: "shared" }));
  }
}
