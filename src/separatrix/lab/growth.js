// The theorem on the points of the page: the two growths, the cosine, and T beside (R / rho)^2.

import { growthOf } from "lab/margin.js";
import { chart } from "lab/svg.js";
import { say } from "lab/words.js";

/**
 * @param {SVGElement[]} pictures three
 * @param {number[][]} weights of PLA's run
 * @param {import("lab/margin.js").Margin} margin
 * @param {number} at
 */
export function drawGrowth(pictures, weights, margin, at) {
  const growth = growthOf(weights, margin);
  const pairs = /** @type {["inner" | "squared" | "cosine", "innerLeast" | "squaredMost" | "cosineLeast", string][]} */ ([
    ["inner", "innerLeast", "inner"],
    ["squared", "squaredMost", "length"],
    ["cosine", "cosineLeast", "cosine"],
  ]);
  pairs.forEach(([value, bound, word], k) => {
    chart(pictures[k], [
      { values: growth.map((g) => g[value]), name: "value" },
      { values: growth.map((g) => g[bound]), name: "bound" },
    ], at, say(word));
  });
}

/**
 * The first two steps of equal weights: from there PLA in a fixed order goes round for ever.
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
