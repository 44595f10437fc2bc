// The dual perceptron (Aizerman, Braverman & Rozonoer 1964): PLA that counts updates per row.
//
// w = sum_n alpha_n y_n x_n, so that w.x needs inner products alone, and a kernel may stand in their
// place. With the polynomial kernel of degree 2 the four points of xor become separable.

import { visitsOf } from "lab/visits.js";

/** @typedef {(a: number[], b: number[]) => number} Kernel of two points (x_1, x_2) */

/** @param {number[]} a @param {number[]} b */
const dot = (a, b) => a[0] * b[0] + a[1] * b[1];

/** @type {Record<string, (gamma: number, degree: number) => Kernel>} */
export const KERNELS = {
  linear: () => (a, b) => 1 + dot(a, b),
  polynomial: (gamma, degree) => (a, b) => (1 + gamma * dot(a, b)) ** degree,
  rbf: (gamma) => (a, b) => Math.exp(-gamma * (dot(a, a) + dot(b, b) - 2 * dot(a, b))),
};

/**
 * Find a mistake n, alpha_n <- alpha_n + 1, and again: all scores change with it.
 * @param {number[][]} points (x_1, x_2)
 * @param {number[]} y
 * @param {Kernel} kernel
 * @param {{visit?: import("lab/visits.js").Order, signOfZero?: -1 | 0 | 1, maxUpdates?: number, seed?: number}} [options]
 */
export function dualPerceptron(points, y, kernel, options = {}) {
  const { visit = "cyclic", signOfZero = 0, maxUpdates = 1000, seed = 0 } = options;
  const scores = points.map(() => 0);
  const alpha = points.map(() => 0);
  /** @type {number[]} */
  const rows = [];
  const visits = visitsOf(visit, points.length, seed);
  for (;;) {
    const n = visits.find((k) => (Math.sign(scores[k]) || signOfZero) !== y[k]);
    const done = n < 0;
    if (done || rows.length >= maxUpdates) return { alpha, rows, done, passes: visits.passes };
    alpha[n] += 1;
    rows.push(n);
    points.forEach((x, k) => (scores[k] += y[n] * kernel(points[n], x)));
  }
}

/**
 * sum_n alpha_n y_n K(x_n, x), after the first `steps` updates.
 * @param {number[][]} points
 * @param {number[]} y
 * @param {Kernel} kernel
 * @param {number[]} rows of the updates
 * @returns {(x: number[]) => number}
 */
export function dualScore(points, y, kernel, rows, steps = rows.length) {
  /** @type {Map<number, number>} */
  const alpha = new Map();
  for (const n of rows.slice(0, steps)) alpha.set(n, (alpha.get(n) ?? 0) + 1);
  const terms = [...alpha];
  return (x) => terms.reduce((sum, [n, a]) => sum + a * y[n] * kernel(points[n], x), 0);
}
