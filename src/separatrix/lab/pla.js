// The perceptron learning algorithm, PLA (Rosenblatt 1958): correct mistakes until none is left.
//
// Why it stops (Novikoff 1962): let w_f make no mistake. Every update raises w_f.w by at least
// rho |w_f| and |w|^2 by at most R^2, and a cosine is at most 1. So T <= (R / rho)^2 from w = 0.
//
// The path is the library's, bit for bit: signs are exact, and the walk is kept in units of eta,
// v <- v + y x with one rounding per number, w = eta v.

import { answer } from "lab/sign.js";
import { visitsOf } from "lab/visits.js";

/**
 * A run, step by step.
 * @typedef {object} Walk
 * @property {number[][]} weights w_0, ..., w_T
 * @property {number[]} rows the row of each update; -1 for a step that all rows make
 * @property {"done" | "updates" | "overflow"} ended no mistake was left; the budget was spent
 * @property {number} passes scans of the rows begun
 * @property {number[][]} [best] the pocket after each step
 * @property {number} [looks] rows looked at, those counted again for the pocket included
 *
 * @typedef {object} WalkOptions
 * @property {import("lab/visits.js").Order} [visit]
 * @property {-1 | 0 | 1} [signOfZero]
 * @property {number} [eta]
 * @property {number[]} [start] w_0
 * @property {number} [maxUpdates]
 * @property {number} [seed]
 */

/**
 * w + step x.
 * @param {ArrayLike<number>} w
 * @param {number} step
 * @param {ArrayLike<number>} x
 */
export const moved = (w, step, x) => Array.from(w, (a, j) => a + step * x[j]);

/**
 * Correct the rows that `wrong` calls mistakes, one after the other.
 * @param {number[][]} rows (1, x_1, x_2)
 * @param {number[]} y
 * @param {WalkOptions} options
 * @param {(v: number[], n: number) => boolean} wrong
 * @returns {Walk}
 */
export function walk(rows, y, options, wrong) {
  const { visit = "cyclic", eta = 1, maxUpdates = 1000, seed = 0 } = options;
  const start = options.start ?? rows[0].map(() => 0);
  const visits = visitsOf(visit, rows.length, seed);
  let v = eta === 1 ? start : start.map((a) => a / eta);
  /** @type {Walk} */
  const run = { weights: [start], rows: [], ended: "done", passes: 0 };
  for (;;) {
    const n = visits.find((k) => {
      run.looks = (run.looks ?? 0) + 1;
      return wrong(v, k);
    });
    run.passes = visits.passes;
    if (n < 0) return run;
    if (run.rows.length >= maxUpdates) return { ...run, ended: "updates" };
    v = moved(v, y[n], rows[n]);
    run.rows.push(n);
    run.weights.push(eta === 1 ? v : v.map((a) => eta * a));
    if (!v.every(Number.isFinite)) return { ...run, ended: "overflow" };
  }
}

/**
 * Find a mistake, w <- w + eta y x, and again.
 * @param {number[][]} rows
 * @param {number[]} y
 * @param {WalkOptions} [options]
 */
export function pla(rows, y, options = {}) {
  const { signOfZero = 0 } = options;
  return walk(rows, y, options, (v, n) => answer(v, rows[n], signOfZero) !== y[n]);
}
