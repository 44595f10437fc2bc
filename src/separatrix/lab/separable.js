// Is there a line without a mistake? Decided exactly in the plane, with a proof either way.
//
// Two convex polygons that do not meet lie apart along the normal of an edge of one of them. If they
// meet, some rows contradict each other: multipliers >= 0, not all 0, with sum lambda_n z_n = 0
// (Gordan 1873): the two hulls share a point.

import { edges, exactPoints, hull, same, side } from "lab/hull.js";
import { signOf } from "lab/sign.js";

/**
 * @typedef {import("lab/hull.js").ExactPoint & {n: number, y: number}} Labelled
 * @typedef {object} Verdict
 * @property {"separable" | "touching" | "overlapping"} verdict
 * @property {bigint[]} [line] whole numbers w with z_n.w > 0 for all n, in the units of the axes
 * @property {number[]} [weights] the same line in doubles, w_0 first
 * @property {number[]} [rows] of the contradiction
 * @property {bigint[]} [multipliers] of these rows
 * @property {number[]} [point] that both hulls share
 */

/**
 * @param {number[][]} points (x_1, x_2)
 * @param {number[]} y
 * @returns {Verdict}
 */
export function separable(points, y) {
  const { points: exact, exponents } = exactPoints(points);
  const labelled = exact.map((p, n) => ({ ...p, n, y: y[n] }));
  const yes = hull(labelled.filter((p) => p.y > 0));
  const no = hull(labelled.filter((p) => p.y < 0));
  if (!yes.length || !no.length) {
    const w0 = yes.length ? 1n : -1n;
    return { verdict: "separable", line: [w0, 0n, 0n], weights: [Number(w0), 0, 0] };
  }
  const line = lineBetween(yes, no);
  if (line) return { verdict: "separable", line, weights: inDoubles(line, exponents) };
  const found = contradiction(yes, no);
  const total = found.multipliers.reduce((sum, m, k) => (labelled[found.rows[k]].y > 0 ? sum + m : sum), 0n);
  const shared = [0, 1].map((j) =>
    found.rows.reduce((sum, n, k) =>
      y[n] > 0 ? sum + ratio(found.multipliers[k], total) * points[n][j] : sum, 0));
  return { verdict: touching(yes, no) ? "touching" : "overlapping", ...found, point: shared };
}

/**
 * a / b as a double, b > 0.
 * @param {bigint} a
 * @param {bigint} b
 */
export function ratio(a, b) {
  const digits = Math.max(0, a.toString(2).length, b.toString(2).length) - 1000;
  const shift = BigInt(Math.max(0, digits));
  if (digits <= 0) return Number(a) / Number(b);
  return Number((a << 64n) / b) / 2 ** 64 || Number(a >> shift) / Number(b >> shift);
}

/**
 * Whole-number weights in units of the axes, as doubles for the points themselves. All are divided
 * by one power of two, so that they neither overflow nor vanish.
 * @param {bigint[]} line
 * @param {number[]} exponents
 */
export function inDoubles(line, exponents) {
  const scaled = line.map((a) => {
    const digits = Math.max(0, a.toString(2).length - 62);
    return { digits: Number(a >> BigInt(digits)), exponent: digits };
  });
  const shifts = [0, -exponents[0], -exponents[1]];
  const sizes = scaled.map(({ digits, exponent }, j) =>
    digits ? Math.log2(Math.abs(digits)) + exponent + shifts[j] : -Infinity);
  const down = Math.round(Math.max(...sizes));
  return scaled.map(({ digits, exponent }, j) => digits * 2 ** (exponent + shifts[j] - down));
}

/**
 * The score of a point under whole-number weights.
 * @param {bigint[]} w
 * @param {import("lab/hull.js").ExactPoint} p
 */
export const scoreOf = (w, p) => w[0] + w[1] * p.A + w[2] * p.B;

/**
 * Whole numbers w with w.(1, x) > 0 on all of yes and < 0 on all of no, or null.
 * @param {Labelled[]} yes corners
 * @param {Labelled[]} no
 */
function lineBetween(yes, no) {
  const ends = [...edges(yes), ...edges(no)];
  if (!ends.length) ends.push([yes[0], no[0]]);
  for (const [p, q] of ends) {
    const [d, e] = [q.A - p.A, q.B - p.B];
    for (const [a, b] of [[-e, d], [e, -d], [d, e], [-d, -e]]) {
      const place = (/** @type {Labelled} */ r) => a * r.A + b * r.B;
      const least = yes.map(place).reduce((m, v) => (v < m ? v : m));
      const most = no.map(place).reduce((m, v) => (v > m ? v : m));
      if (least > most) return [-(least + most), 2n * a, 2n * b];
    }
  }
  return null;
}

/**
 * Rows with multipliers that add up to nothing, where the hulls meet.
 * @param {Labelled[]} yes corners
 * @param {Labelled[]} no
 * @returns {{rows: number[], multipliers: bigint[]}}
 */
function contradiction(yes, no) {
  for (const [some, others] of [[yes, no], [no, yes]]) {
    for (const p of some) {
      const found = within(p, others);
      if (found) return found;
    }
  }
  for (const [p, q] of edges(yes)) {
    for (const [r, s] of edges(no)) {
      const [a, b] = [cross(r, s, p), cross(r, s, q)];
      const [c, d] = [cross(p, q, r), cross(p, q, s)];
      if (signOf(a) * signOf(b) >= 0 || signOf(c) * signOf(d) >= 0) continue;
      // p |b| + q |a| over |a| + |b| is r |d| + s |c| over |c| + |d|
      const [A, B, C, D] = [a, b, c, d].map((m) => (m < 0n ? -m : m));
      return reduced([p.n, q.n, r.n, s.n], [B * (C + D), A * (C + D), D * (A + B), C * (A + B)]);
    }
  }
  throw new Error("the hulls neither meet nor lie apart");
}

/** @param {Labelled} p @param {Labelled} q @param {Labelled} r */
const cross = (p, q, r) => (q.A - p.A) * (r.B - p.B) - (q.B - p.B) * (r.A - p.A);

/**
 * A point of a hull as a mean of at most three of its corners; null where it is outside.
 * @param {Labelled} p
 * @param {Labelled[]} corners
 */
function within(p, corners) {
  if (corners.length === 1) return same(p, corners[0]) ? reduced([p.n, corners[0].n], [1n, 1n]) : null;
  if (corners.length === 2) return between(p, corners[0], corners[1]);
  for (let i = 1; i + 1 < corners.length; i++) {
    const [a, b, c] = [corners[0], corners[i], corners[i + 1]];
    const parts = [cross(b, c, p), cross(c, a, p), cross(a, b, p)];
    if (parts.some((m) => m < 0n)) continue;
    return reduced([p.n, a.n, b.n, c.n], [parts[0] + parts[1] + parts[2], ...parts]);
  }
  return null;
}

/** @param {Labelled} p @param {Labelled} a @param {Labelled} b */
function between(p, a, b) {
  if (cross(a, b, p) !== 0n) return null;
  const [d, e] = a.A === b.A ? [p.B - a.B, b.B - a.B] : [p.A - a.A, b.A - a.A];
  const [from, all] = e < 0n ? [-d, -e] : [d, e];
  return from < 0n || from > all ? null : reduced([p.n, a.n, b.n], [all, all - from, from]);
}

/**
 * Without rows of multiplier 0, and without a common divisor.
 * @param {number[]} rows
 * @param {bigint[]} multipliers
 */
function reduced(rows, multipliers) {
  const kept = rows.map((n, k) => ({ n, m: multipliers[k] })).filter(({ m }) => m > 0n);
  let divisor = 0n;
  for (const { m } of kept) for (let [a, b] = [m, divisor]; ; [a, b] = [b, a % b]) if (!b) { divisor = a; break; }
  return { rows: kept.map(({ n }) => n), multipliers: kept.map(({ m }) => m / divisor) };
}

/**
 * Whether some line has no point on its wrong side and not all points on it, the hulls meeting.
 * @param {Labelled[]} yes corners
 * @param {Labelled[]} no
 */
function touching(yes, no) {
  const all = [...yes, ...no];
  const whole = hull(all);
  if (whole.length === 1) return false;
  if (whole.length === 2) {
    const [a, b] = whole;
    const place = (/** @type {Labelled} */ p) => (a.A === b.A ? p.B : p.A);
    const ends = (/** @type {Labelled[]} */ some) => {
      const places = some.map(place);
      return [places.reduce((m, v) => (v < m ? v : m)), places.reduce((m, v) => (v > m ? v : m))];
    };
    const [[low, high], [least, most]] = [ends(yes), ends(no)];
    return high === least || most === low;
  }
  const pairs = [...edges(yes), ...edges(no), ...yes.flatMap((p) => no.map((q) => [p, q]))];
  return pairs.some(([p, q]) => {
    if (same(p, q)) return false;
    const sides = all.map((r) => r.y * side(p, q, r));
    return sides.every((s) => s >= 0) || sides.every((s) => s <= 0);
  });
}
