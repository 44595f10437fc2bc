// The rule of a run after some of its steps, where it is no line, and the points that it gets wrong.

import { KERNELS, dualScore } from "lab/dual.js";
import { mistakes } from "lab/sign.js";
import { vote } from "lab/variants.js";

/**
 * @typedef {import("lab/presets.js").Point} Point
 * @typedef {import("lab/pla.js").Walk} Walk
 * @typedef {(x: number[]) => number} Score
 */

/**
 * The score of a kernel's rule, or of the votes; null where the rule is a line.
 * @param {string} learner
 * @param {Record<string, any>} options
 * @param {Point[]} points
 * @param {Walk} run
 * @param {number} at
 * @returns {Score | null}
 */
export function ruleOf(learner, options, points, run, at) {
  if (learner === "dual") {
    const kernel = KERNELS[options.kernel](options.gamma, options.degree);
    return dualScore(points.map((p) => p.x), points.map((p) => p.y), kernel, run.rows, at);
  }
  if (learner !== "voted") return null;
  const all = /** @type {Walk & {votes: number[]}} */ (run);
  const voters = { ...all, weights: all.weights.slice(0, at + 1), votes: all.votes.slice(0, at + 1) };
  return (x) => vote(voters, [1, ...x]);
}

/**
 * The rows that a rule, or else a line, gets wrong.
 * @param {Score | null} rule
 * @param {number[] | null} w
 * @param {Point[]} points
 * @param {-1 | 0 | 1} signOfZero of the learner
 * @returns {number[]}
 */
export function wrongUnder(rule, w, points, signOfZero) {
  if (rule) return points.flatMap((p, n) => ((Math.sign(rule(p.x)) || signOfZero) === p.y ? [] : [n]));
  return w ? mistakes(w, points.map((p) => [1, ...p.x]), points.map((p) => p.y), signOfZero) : [];
}
