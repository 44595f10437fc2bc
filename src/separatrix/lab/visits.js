// Which mistake is corrected next: the four orders of visiting rows.
//
// Each has `find`, which is given "is row n a mistake?" and returns a row that is one, or -1 when a
// search of all rows met none, and `passes`, the scans of the rows begun.

import { Generator } from "lab/random.js";

/**
 * @typedef {(n: number) => boolean} IsMistake
 * @typedef {{passes: number, find: (isMistake: IsMistake) => number}} Visits
 * @typedef {"cyclic" | "naive" | "permuted" | "random"} Order
 */

/**
 * Go on from the row after the last one: cyclic for 0, ..., N - 1, else permuted.
 * @param {number[]} order
 * @returns {Visits}
 */
export function inTurn(order) {
  let position = 0;
  const visits = {
    passes: 0,
    find(/** @type {IsMistake} */ isMistake) {
      for (let looked = 0; looked < order.length; looked++) {
        if (position === 0) visits.passes += 1;
        const n = order[position];
        position = (position + 1) % order.length;
        if (isMistake(n)) return n;
      }
      return -1;
    },
  };
  return visits;
}

/**
 * Begin at the first row again after every update.
 * @param {number} count of rows
 * @returns {Visits}
 */
export function naive(count) {
  const visits = {
    passes: 0,
    find(/** @type {IsMistake} */ isMistake) {
      visits.passes += 1;
      for (let n = 0; n < count; n++) if (isMistake(n)) return n;
      return -1;
    },
  };
  return visits;
}

/**
 * Take one of all current mistakes, by a draw for each update.
 * @param {number} count of rows
 * @param {Generator} generator
 * @returns {Visits}
 */
export function atRandom(count, generator) {
  const visits = {
    passes: 0,
    find(/** @type {IsMistake} */ isMistake) {
      visits.passes += 1;
      const wrong = [];
      for (let n = 0; n < count; n++) if (isMistake(n)) wrong.push(n);
      return wrong.length ? wrong[Math.floor(generator.random() * wrong.length)] : -1;
    },
  };
  return visits;
}

/** @param {number} count */
export const rowsInOrder = (count) => Array.from({ length: count }, (_, n) => n);

/**
 * The visits of an order that is given by name.
 * @param {Order} order
 * @param {number} count of rows
 * @param {number} seed of permuted and random
 */
export function visitsOf(order, count, seed) {
  if (order === "naive") return naive(count);
  if (order === "random") return atRandom(count, new Generator(seed));
  return inTurn(order === "permuted" ? new Generator(seed).permutation(count) : rowsInOrder(count));
}
