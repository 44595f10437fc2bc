// The theorem on the points of the page: the two growths, the cosine, and T beside (R / rho)^2.

import { growthOf } from "lab/margin.js";
import { chart, path, piece } from "lab/svg.js";
import { grouped, say } from "lab/words.js";

const PAIRS = /** @type {["inner" | "squared" | "cosine", "innerLeast" | "squaredMost" | "cosineLeast", string][]} */ ([
  ["inner", "innerLeast", "inner"],
  ["squared", "squaredMost", "length"],
  ["cosine", "cosineLeast", "cosine"],
]);
/** @type {{weights: number[][], margin: import("lab/margin.js").Margin, series: {values: number[], name: string}[][]} | null} */
let last = null;

/**
 * @param {SVGElement[]} pictures three
 * @param {number[][]} weights of PLA's run
 * @param {import("lab/margin.js").Margin} margin
 * @param {number} at
 */
export function drawGrowth(pictures, weights, margin, at) {
  if (last?.weights !== weights || last.margin !== margin) {
    const growth = growthOf(weights, margin);
    last = { weights, margin, series: PAIRS.map(([value, bound]) => [
      { values: growth.map((g) => g[value]), name: "value" },
      { values: growth.map((g) => g[bound]), name: "bound" },
    ]) };
  }
  PAIRS.forEach(([, , word], k) => chart(pictures[k], /** @type {NonNullable<typeof last>} */ (last).series[k], at, say(word)));
}

/**
 * The first two steps with equal weights after the same row: from there PLA in a fixed order
 * repeats itself without end.
 * @param {number[][]} weights
 * @param {number[]} rows
 * @returns {[number, number] | null}
 */
export function recurrence(weights, rows) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (let t = 0; t < weights.length; t++) {
    const key = `${weights[t].join()},${t ? rows[t - 1] : -1}`;
    const before = seen.get(key);
    if (before !== undefined) return [before, t];
    seen.set(key, t);
  }
  return null;
}

/**
 * T and the bound as bars, each mark ten times the last.
 * @param {SVGElement} svg
 * @param {number} T
 * @param {bigint} bound
 */
export function drawBound(svg, T, bound) {
  const [width, left] = [320, 46];
  const size = Number(bound);
  const decades = Math.max(4, Math.ceil(Math.log10(Math.max(10, size, T))));
  const across = (/** @type {number} */ v) => left + ((width - left - 24) * Math.log10(Math.max(1, v))) / decades;
  const name = `${say("boundSizes")}: ${T}, ${bound}`;
  if (svg.getAttribute("aria-label") === name) return;
  svg.setAttribute("viewBox", `0 0 ${width} 130`);
  svg.setAttribute("aria-label", name);
  svg.replaceChildren(piece("text", { x: 2, y: 12, class: "chart-title" }, say("boundSizes")));
  const stride = Math.ceil(decades / 4);
  for (let k = 0; k <= decades; k += stride) {
    const x = across(10 ** k);
    svg.append(piece("path", { d: path([[x, 20], [x, 110]]), class: "grid" }), piece("text", { x, y: 124, class: "tick middle" }, k < 6 ? grouped(10 ** k) : `1e${k}`));
  }
  for (const [y, name, value] of /** @type {[number, string, number][]} */ ([[28, "T", T], [70, "(R/ρ)²", size]])) {
    svg.append(
      piece("text", { x: left - 8, y: y + 20, class: "tick end" }, name),
      piece("rect", { x: left, y, width: Math.max(2, across(value) - left), height: 30, class: name === "T" ? "bar" : "bar bound" }),
    );
  }
}
