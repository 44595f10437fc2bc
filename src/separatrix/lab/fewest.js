// The fewest mistakes of any line in the plane, exactly.
//
// Shift the best line until it meets a point, and turn it about that point: it stays the best until
// it meets another one. So it is enough to turn a line about every point, between the directions of
// the others, with the point itself on either side: N^2 log N steps.

import { exactPoints } from "lab/hull.js";
import { inDoubles, scoreOf } from "lab/separable.js";
import { signOf } from "lab/sign.js";

/**
 * @typedef {object} Spoke the direction from the pivot to another point, or its opposite
 * @property {number} u in the upper half of the plane, as doubles
 * @property {number} v
 * @property {bigint} U exactly
 * @property {bigint} V
 * @property {boolean} turned whether it is the opposite
 * @property {number} y
 *
 * @typedef {{mistakes: number, line: () => bigint[]}} Best whole numbers of its line when asked for
 *
 * @typedef {object} Fewest
 * @property {number} mistakes
 * @property {bigint[]} line whole numbers w with as many rows z_n.w <= 0
 * @property {number[]} weights the same line in doubles, w_0 first
 */

/**
 * @param {number[][]} points (x_1, x_2)
 * @param {number[]} y
 * @returns {Fewest}
 */
export function fewestMistakes(points, y) {
  const search = fewestStepByStep(points, y);
  for (;;) {
    const { done, value } = search.next();
    if (done) return value;
  }
}

/**
 * The same, giving way after every pivot: yields the share that is done.
 * @param {number[][]} points
 * @param {number[]} y
 * @returns {Generator<number, Fewest>}
 */
export function* fewestStepByStep(points, y) {
  const { points: exact, exponents } = exactPoints(points);
  const nYes = y.filter((label) => label > 0).length;
  const constant = nYes >= y.length - nYes ? 1n : -1n;
  /** @type {Best} */
  let best = { mistakes: Math.min(nYes, y.length - nYes), line: () => [constant, 0n, 0n] };
  const seen = new Set();
  for (let n = 0; n < exact.length && best.mistakes > 0; n++) {
    const place = `${exact[n].A},${exact[n].B}`;
    if (seen.has(place)) continue;
    seen.add(place);
    best = turned(exact, y, n, best);
    yield (n + 1) / exact.length;
  }
  const line = best.line();
  return { mistakes: best.mistakes, line, weights: inDoubles(line, exponents) };
}

/**
 * The best line through point n that makes fewer mistakes than `best`, else `best`.
 * @param {import("lab/hull.js").ExactPoint[]} points
 * @param {number[]} y
 * @param {number} n
 * @param {Best} best
 * @returns {Best}
 */
function turned(points, y, n, best) {
  const pivot = points[n];
  /** @type {Spoke[]} */
  const spokes = [];
  let [yesHere, noHere] = [0, 0];
  points.forEach((p, k) => {
    const [U, V] = [p.A - pivot.A, p.B - pivot.B];
    if (U === 0n && V === 0n) return y[k] > 0 ? yesHere++ : noHere++;
    const away = V < 0n || (V === 0n && U < 0n);
    const [u, v] = [p.a - pivot.a, p.b - pivot.b];
    spokes.push(away ? { u: -u, v: -v, U: -U, V: -V, turned: true, y: y[k] } : { u, v, U, V, turned: false, y: y[k] });
    return 0;
  });
  if (!spokes.length) return best;
  spokes.sort((p, q) => -turn(p, q));
  // mistakes if the left side says yes, the line lying just before the first direction
  let wrong = spokes.filter((s) => (s.turned ? 1 : -1) === s.y).length;
  for (let i = 0; i < spokes.length; ) {
    for (const [sign, count] of [[1n, wrong], [-1n, spokes.length - wrong]]) {
      const least = Number(count) + Math.min(yesHere, noHere);
      if (least < best.mistakes) {
        const before = i ? spokes[i - 1] : opposite(spokes[spokes.length - 1]);
        const pivotSays = yesHere >= noHere ? 1n : -1n;
        const after = spokes[i];
        best = { mistakes: least, line: () => lineAt(points, pivot, before, after, BigInt(sign), pivotSays) };
      }
    }
    const first = spokes[i];
    for (; i < spokes.length && turn(first, spokes[i]) === 0; i++) {
      const nowLeft = spokes[i].turned;
      wrong += (nowLeft ? 1 : -1) === spokes[i].y ? -1 : 1;
    }
  }
  return best;
}

/** @param {Spoke} s @returns {Spoke} */
const opposite = (s) => ({ ...s, u: -s.u, v: -s.v, U: -s.U, V: -s.V });

/**
 * +1 where q lies to the left of p.
 * @param {Spoke} p
 * @param {Spoke} q
 */
function turn(p, q) {
  const [left, right] = [p.u * q.v, p.v * q.u];
  const size = Math.abs(left) + Math.abs(right);
  if (size > 1e-280 && size < 1e300 && Math.abs(left - right) > 1e-15 * size) return left > right ? 1 : -1;
  return signOf(p.U * q.V - p.V * q.U);
}

/**
 * Whole-number weights of the line through the pivot between two directions, the pivot on one side.
 * @param {import("lab/hull.js").ExactPoint[]} points
 * @param {import("lab/hull.js").ExactPoint} pivot
 * @param {Spoke} before
 * @param {Spoke} after
 * @param {bigint} left what the left side says
 * @param {bigint} pivotSays
 */
function lineAt(points, pivot, before, after, left, pivotSays) {
  let [U, V] = [before.U + after.U, before.V + after.V];
  if (U * after.V === V * after.U) [U, V] = [after.V, -after.U]; // one direction alone: across it
  const through = [left * (V * pivot.A - U * pivot.B), left * -V, left * U];
  const sizes = points.map((p) => scoreOf(through, p)).map((s) => (s < 0n ? -s : s)).filter((s) => s > 0n);
  const least = sizes.reduce((m, s) => (s < m ? s : m), sizes[0]);
  return [2n * through[0] + pivotSays * least, 2n * through[1], 2n * through[2]];
}
