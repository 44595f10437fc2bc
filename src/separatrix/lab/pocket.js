// The pocket algorithm and its ratchet (Gallant 1990): PLA that keeps the best weights it met.

import { moved, pla } from "lab/pla.js";
import { answer, mistakes } from "lab/sign.js";
import { Generator } from "lab/random.js";
import { rowsInOrder } from "lab/visits.js";

/** @typedef {import("lab/pla.js").Walk} Walk */

/**
 * Correct a mistake, count all mistakes again, keep the weights if they make fewer.
 * @param {number[][]} rows
 * @param {number[]} y
 * @param {import("lab/pla.js").WalkOptions} [options]
 * @returns {Walk & {best: number[][], swaps: number[]}}
 */
export function pocket(rows, y, options = {}) {
  const run = pla(rows, y, { visit: "random", ...options });
  let best = run.weights[0];
  let fewest = mistakes(best, rows, y).length;
  const kept = [best];
  const swaps = [];
  let last = fewest > 0 ? run.rows.length : 0;
  for (let t = 1; t <= last; t++) {
    const counted = mistakes(run.weights[t], rows, y).length;
    if (counted < fewest) {
      [best, fewest] = [run.weights[t], counted];
      swaps.push(t);
    }
    kept.push(best);
    if (fewest === 0) last = t;
  }
  return {
    weights: run.weights.slice(0, last + 1),
    rows: run.rows.slice(0, last),
    ended: fewest === 0 || last < run.rows.length ? "done" : run.ended,
    passes: last + 1,
    looks: (last + 1) * rows.length + (run.looks ?? 0),
    best: kept,
    swaps,
  };
}

/**
 * The ratchet: count again only after a longer run of correct answers than the pocket had.
 * @param {number[][]} rows
 * @param {number[]} y
 * @param {import("lab/pla.js").WalkOptions & {maxVisits?: number}} [options] visits in turn
 * @returns {Walk & {best: number[][], swaps: number[]}}
 */
export function ratchetPocket(rows, y, options = {}) {
  const { visit = "cyclic", signOfZero = 0, maxUpdates = 1000, seed = 0 } = options;
  const { maxVisits = 100 * rows.length } = options;
  const order = visit === "permuted" ? new Generator(seed).permutation(rows.length) : rowsInOrder(rows.length);
  let w = options.start ?? rows[0].map(() => 0);
  let best = w;
  let fewest = mistakes(w, rows, y).length;
  let longest = 0;
  let correct = 0;
  let visits = 0;
  let counts = 1;
  /** @type {Walk & {best: number[][], swaps: number[]}} */
  const run = { weights: [w], rows: [], ended: "updates", passes: 0, best: [best], swaps: [] };
  for (; visits < maxVisits && fewest > 0; visits++) {
    const n = order[visits % rows.length];
    if (answer(w, rows[n], signOfZero) !== y[n]) {
      if (run.rows.length >= maxUpdates) break;
      w = moved(w, y[n], rows[n]);
      correct = 0;
      run.rows.push(n);
      run.weights.push(w);
      run.best.push(best);
      continue;
    }
    correct += 1;
    if (correct > longest) {
      const counted = mistakes(w, rows, y).length;
      counts += 1;
      if (counted < fewest) {
        [best, fewest, longest] = [w, counted, correct];
        run.best[run.best.length - 1] = best;
        run.swaps.push(run.rows.length);
      }
    }
  }
  run.passes = Math.ceil(visits / rows.length);
  run.looks = visits + counts * rows.length;
  return { ...run, ended: fewest === 0 ? "done" : "updates" };
}
