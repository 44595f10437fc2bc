// Linear regression (least squares on y = -1 / +1) and logistic regression by Newton's method.

import { ERROR, SLOPE, agreement } from "lab/error_measures.js";

/**
 * A w with A w = b by Gauss's elimination with row pivots; null where A is singular to rounding.
 * @param {number[][]} A square
 * @param {number[]} b
 */
export function solve(A, b) {
  const rows = A.map((row, i) => [...row, b[i]]);
  const size = b.length;
  const largest = Math.max(...rows.flatMap((row) => row.slice(0, size)).map(Math.abs));
  for (let j = 0; j < size; j++) {
    const pivot = rows.reduce((at, row, i) => (i >= j && Math.abs(row[j]) > Math.abs(rows[at][j]) ? i : at), j);
    if (!(Math.abs(rows[pivot][j]) > 1e-13 * largest)) return null;
    [rows[j], rows[pivot]] = [rows[pivot], rows[j]];
    for (let i = 0; i < size; i++) {
      const factor = rows[i][j] / rows[j][j];
      if (i !== j) for (let k = j; k <= size; k++) rows[i][k] -= factor * rows[j][k];
    }
  }
  return rows.map((row, j) => row[size] / row[j]);
}

/**
 * The columns shifted by their means and divided by their spread, so that sums keep their digits.
 * @param {number[][]} rows
 */
function standardised(rows) {
  const means = [0, 1].map((j) => rows.reduce((sum, x) => sum + x[j + 1], 0) / rows.length);
  const spreads = [0, 1].map((j) => Math.max(...rows.map((x) => Math.abs(x[j + 1] - means[j]))));
  const used = [0, 1].filter((j) => spreads[j] > 0);
  const scaled = rows.map((x) => [1, ...used.map((j) => (x[j + 1] - means[j]) / spreads[j])]);
  const back = (/** @type {number[]} */ u) => {
    const w = [u[0], 0, 0];
    used.forEach((j, k) => {
      w[j + 1] = u[k + 1] / spreads[j];
      w[0] -= w[j + 1] * means[j];
    });
    return w;
  };
  return { scaled, back };
}

/**
 * @param {number[][]} rows
 * @param {(x: number[], n: number) => number} mass
 */
const gram = (rows, mass) =>
  rows[0].map((_, i) => rows[0].map((_, j) => rows.reduce((sum, x, n) => sum + mass(x, n) * x[i] * x[j], 0)));

/**
 * The minimiser of sum (y - w.x)^2; null where the points are on one line.
 * @param {number[][]} rows
 * @param {number[]} y
 */
export function linearRegression(rows, y) {
  const { scaled, back } = standardised(rows);
  const target = scaled[0].map((_, j) => scaled.reduce((sum, x, n) => sum + y[n] * x[j], 0));
  const u = solve(gram(scaled, () => 1), target);
  return u && back(u);
}

/**
 * The minimiser of sum ln(1 + e^(-y w.x)) by Newton's method with halved steps. Where a line
 * separates the rows there is none: the steps end after `steps`, and w only points its way.
 * @param {number[][]} rows
 * @param {number[]} y
 * @returns {import("lab/pla.js").Walk | null}
 */
export function logisticRegression(rows, y, steps = 40) {
  const { scaled, back } = standardised(rows);
  const error = (/** @type {number[]} */ w) =>
    scaled.reduce((sum, x, n) => sum + ERROR.cross_entropy(agreement(w, x, y[n])), 0);
  let w = scaled[0].map(() => 0);
  /** @type {import("lab/pla.js").Walk} */
  const run = { weights: [back(w)], rows: [], ended: "updates", passes: 0 };
  for (let t = 0; t < steps; t++) {
    const theta = scaled.map((x, n) => -SLOPE.cross_entropy(agreement(w, x, y[n])));
    const downhill = w.map((_, j) => scaled.reduce((sum, x, n) => sum + theta[n] * y[n] * x[j], 0));
    let step = solve(gram(scaled, (_, n) => theta[n] * (1 - theta[n])), downhill);
    if (!step) return t ? run : null;
    const here = error(w);
    for (let halved = 0; halved < 40 && error(w.map((a, j) => a + /** @type {number[]} */ (step)[j])) > here; halved++) {
      step = step.map((a) => a / 2);
    }
    w = w.map((a, j) => a + /** @type {number[]} */ (step)[j]);
    run.weights.push(back(w));
    run.rows.push(-1);
    run.passes = t + 1;
    const size = Math.max(...w.map(Math.abs));
    if (Math.max(...step.map(Math.abs)) <= 1e-12 * size) return { ...run, ended: "done" };
  }
  return run;
}
