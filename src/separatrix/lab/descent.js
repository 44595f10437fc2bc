// Gradient descent: w <- w - eta grad E_in(w), by all rows at once (batch) or one (online).
//
// Online descent on the perceptron error with eta = 1 makes PLA's updates.

import { SLOPE, agreement } from "lab/error_measures.js";
import { moved } from "lab/pla.js";

/**
 * @typedef {object} DescentOptions
 * @property {"perceptron" | "squared" | "cross_entropy"} [measure]
 * @property {"batch" | "online"} [batch]
 * @property {number} [eta]
 * @property {number[]} [start]
 * @property {number} [maxUpdates]
 */

/**
 * The mean over the rows of err'(y w.x) y x.
 * @param {number[]} w
 * @param {number[][]} rows
 * @param {number[]} y
 * @param {(a: number) => number} slope
 */
export function gradient(w, rows, y, slope) {
  const total = w.map(() => 0);
  rows.forEach((x, n) => {
    const pull = y[n] * slope(agreement(w, x, y[n]));
    for (let j = 0; j < w.length; j++) total[j] += pull * x[j];
  });
  return total.map((g) => g / rows.length);
}

/**
 * Step down the gradient until it vanishes, the updates are spent, or the weights overflow.
 * @param {number[][]} rows
 * @param {number[]} y
 * @param {DescentOptions} [options]
 * @returns {import("lab/pla.js").Walk}
 */
export function gradientDescent(rows, y, options = {}) {
  const { measure = "cross_entropy", batch = "batch", eta = 0.1, maxUpdates = 200 } = options;
  const slope = SLOPE[measure];
  let w = options.start ?? rows[0].map(() => 0);
  /** @type {import("lab/pla.js").Walk} */
  const run = { weights: [w], rows: [], ended: "updates", passes: 0 };
  const vanished = () => gradient(w, rows, y, slope).every((g) => g === 0);
  while (run.rows.length < maxUpdates) {
    const n = batch === "online" ? run.rows.length % rows.length : -1;
    if (n <= 0) {
      run.passes += 1;
      if (vanished()) return { ...run, ended: "done" };
    }
    w = n < 0
      ? moved(w, -eta, gradient(w, rows, y, slope))
      : moved(w, -eta * (y[n] * slope(agreement(w, rows[n], y[n]))), rows[n]);
    run.weights.push(w);
    run.rows.push(n);
    run.looks = (run.looks ?? 0) + (n < 0 ? rows.length : 1);
    if (!w.every(Number.isFinite)) return { ...run, ended: "overflow" };
  }
  return run;
}
