// What is minimised: the error of one answer, as a function of a = y w.x.

import { signOfScore } from "lab/sign.js";

/** @typedef {"zero_one" | "perceptron" | "squared" | "cross_entropy"} Measure */

/** @type {Record<Measure, (a: number) => number>} */
export const ERROR = {
  zero_one: (a) => (a <= 0 ? 1 : 0),
  perceptron: (a) => Math.max(0, -a),
  squared: (a) => (1 - a) ** 2,
  cross_entropy: (a) => Math.max(0, -a) + Math.log1p(Math.exp(-Math.abs(a))),
};

/** @type {Record<string, (a: number) => number>} */
export const SLOPE = {
  perceptron: (a) => (a <= 0 ? -1 : 0), // a zero score is a mistake to be corrected
  squared: (a) => 2 * (a - 1),
  cross_entropy: (a) => (a < 700 ? -1 / (1 + Math.exp(a)) : 0),
};

/**
 * y w.x, with a sign that is exact.
 * @param {number[]} w
 * @param {number[]} x
 * @param {number} y
 */
export function agreement(w, x, y) {
  const a = y * w.reduce((sum, b, j) => sum + b * x[j], 0);
  const sign = y * signOfScore(w, x);
  return Math.sign(a) === sign ? a : sign * Number.MIN_VALUE;
}

/**
 * E_in: the mean error over the rows.
 * @param {number[]} w
 * @param {number[][]} rows
 * @param {number[]} y
 * @param {Measure} measure
 */
export function meanError(w, rows, y, measure) {
  const sum = rows.reduce((total, x, n) => total + ERROR[measure](agreement(w, x, y[n])), 0);
  return sum / rows.length;
}
