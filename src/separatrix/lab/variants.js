// Variants of the perceptron: averaged and voted (Freund & Schapire 1999), with a margin (Krauth &
// Mezard 1987), passive-aggressive (Crammer et al. 2006).

import { moved, walk } from "lab/pla.js";
import { answer, parts, signOf, signOfScore, whole } from "lab/sign.js";
import { rowsInOrder } from "lab/visits.js";

/** @typedef {import("lab/pla.js").Walk} Walk */

/**
 * Visit the rows in turn as PLA does, until N in a row were right; each w lives for some visits.
 * @param {number[][]} rows
 * @param {number[]} y
 * @param {import("lab/pla.js").WalkOptions} [options]
 * @returns {Walk & {votes: number[]}} votes[t]: the visits after which the weights were w_t
 */
export function votedPerceptron(rows, y, options = {}) {
  const { signOfZero = 0, maxUpdates = 1000 } = options;
  let w = options.start ?? rows[0].map(() => 0);
  /** @type {Walk & {votes: number[]}} */
  const run = { weights: [w], rows: [], ended: "done", passes: 0, votes: [0] };
  let streak = 0;
  let visits = 0;
  for (; streak < rows.length; visits++) {
    const n = visits % rows.length;
    if (answer(w, rows[n], signOfZero) === y[n]) {
      run.votes[run.votes.length - 1] += 1;
      streak += 1;
      continue;
    }
    if (run.rows.length >= maxUpdates) {
      run.ended = "updates";
      break;
    }
    w = moved(w, y[n], rows[n]);
    streak = 0;
    run.weights.push(w);
    run.rows.push(n);
    run.votes.push(1);
  }
  return { ...run, passes: Math.ceil(visits / rows.length), looks: visits };
}

/**
 * The votes for yes less those for no.
 * @param {Walk & {votes: number[]}} voters
 * @param {number[]} x (1, x_1, x_2)
 */
export const vote = (voters, x) =>
  voters.votes.reduce((sum, votes, t) => sum + votes * signOfScore(voters.weights[t], x), 0);

/**
 * The mean of PLA's weights over all visits: after each step, the mean so far.
 * @param {number[][]} rows
 * @param {number[]} y
 * @param {import("lab/pla.js").WalkOptions} [options]
 * @returns {Walk}
 */
export function averagedPerceptron(rows, y, options = {}) {
  const voters = votedPerceptron(rows, y, options);
  let total = rows[0].map(() => 0);
  let visits = 0;
  const best = voters.weights.map((w, t) => {
    total = moved(total, voters.votes[t], w);
    visits += voters.votes[t];
    return visits ? total.map((a) => a / visits) : w;
  });
  return { ...voters, best };
}

/**
 * Whether y w.x <= margin, exactly where rounding leaves it in doubt.
 * @param {number[]} w
 * @param {number[]} x
 * @param {number} y
 * @param {number} margin
 */
function close(w, x, y, margin) {
  const a = y * w.reduce((sum, b, j) => sum + b * x[j], 0);
  const size = w.reduce((sum, b, j) => sum + Math.abs(b * x[j]), margin);
  if (Math.abs(a - margin) > 16 * 2 ** -53 * size + 1e-299) return a < margin;
  const [wide, row, [m, e]] = [whole(w), whole(x), parts(margin)];
  const score = BigInt(y) * wide.integers.reduce((sum, b, j) => sum + b * row.integers[j], 0n);
  const shift = wide.exponent + row.exponent - e;
  return signOf(shift >= 0 ? (score << BigInt(shift)) - m : score - (m << BigInt(-shift))) <= 0;
}

/**
 * Correct rows with y w.x <= margin until there are none; margin 0 is PLA.
 * @param {number[][]} rows
 * @param {number[]} y
 * @param {import("lab/pla.js").WalkOptions & {margin?: number}} [options]
 */
export function marginPerceptron(rows, y, options = {}) {
  const { margin = 1 } = options;
  return walk(rows, y, options, (v, n) => close(v, rows[n], y[n], margin));
}

/**
 * The least change of w that gives the row at hand the score 1, at most C times the row.
 * @param {number[][]} rows
 * @param {number[]} y
 * @param {import("lab/pla.js").WalkOptions & {C?: number}} [options]
 * @returns {Walk}
 */
export function passiveAggressive(rows, y, options = {}) {
  const { C = 1, maxUpdates = 1000, start = rows[0].map(() => 0) } = options;
  let w = start;
  /** @type {Walk} */
  const run = { weights: [w], rows: [], ended: "done", passes: 0 };
  const order = rowsInOrder(rows.length);
  for (let changed = true; changed; ) {
    changed = false;
    run.passes += 1;
    for (const n of order) {
      run.looks = (run.looks ?? 0) + 1;
      const error = 1 - y[n] * w.reduce((sum, a, j) => sum + a * rows[n][j], 0);
      const length = rows[n].reduce((sum, a) => sum + a * a, 0);
      if (!(error > 0)) continue;
      if (run.rows.length >= maxUpdates) return { ...run, ended: "updates" };
      w = moved(w, Math.min(C, error / length) * y[n], rows[n]);
      run.rows.push(n);
      run.weights.push(w);
      changed = true;
    }
  }
  return run;
}
