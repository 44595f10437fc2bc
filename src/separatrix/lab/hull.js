// Points of the plane as whole numbers, which side of a line a point is on, and convex hulls.

import { signOf, whole } from "lab/sign.js";

/**
 * @typedef {object} ExactPoint
 * @property {number} a x_1 as a double
 * @property {number} b x_2
 * @property {bigint} A x_1 in units of 2^e, one e for all points
 * @property {bigint} B x_2 in units of its own
 */

/**
 * The points exactly. Each axis has its own unit: no side of a line depends on it.
 * @param {number[][]} points (x_1, x_2)
 */
export function exactPoints(points) {
  const first = whole(points.map((x) => x[0]));
  const second = whole(points.map((x) => x[1]));
  return {
    points: points.map((x, n) => ({ a: x[0], b: x[1], A: first.integers[n], B: second.integers[n] })),
    exponents: [first.exponent, second.exponent],
  };
}

/**
 * The side of r seen along p -> q: +1 left, -1 right, 0 on the line (Shewchuk 1997, filter A).
 * @param {ExactPoint} p
 * @param {ExactPoint} q
 * @param {ExactPoint} r
 */
export function side(p, q, r) {
  const left = (q.a - p.a) * (r.b - p.b);
  const right = (q.b - p.b) * (r.a - p.a);
  const size = Math.abs(left) + Math.abs(right);
  if (size > 1e-280 && size < 1e300 && Math.abs(left - right) > 1e-15 * size) return left > right ? 1 : -1;
  return signOf((q.A - p.A) * (r.B - p.B) - (q.B - p.B) * (r.A - p.A));
}

/** @param {ExactPoint} p @param {ExactPoint} q */
export const same = (p, q) => p.A === q.A && p.B === q.B;

/**
 * The corners of the convex hull, against the clock (Andrew 1979); of points on one line its two
 * ends, of one point that point.
 * @template {ExactPoint} P
 * @param {P[]} points
 */
export function hull(points) {
  const sorted = [...points].sort((p, q) => signOf(p.A - q.A) || signOf(p.B - q.B));
  const distinct = sorted.filter((p, i) => i === 0 || !same(p, sorted[i - 1]));
  if (distinct.length < 3) return distinct;
  const half = (/** @type {P[]} */ some) => {
    /** @type {P[]} */
    const chain = [];
    for (const p of some) {
      while (chain.length > 1 && side(chain[chain.length - 2], chain[chain.length - 1], p) <= 0) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return [...half(distinct), ...half([...distinct].reverse())];
}

/**
 * The edges of a hull, each as its two ends.
 * @template P
 * @param {P[]} corners
 * @returns {[P, P][]}
 */
export const edges = (corners) =>
  corners.length < 2
    ? []
    : corners.length === 2
      ? [[corners[0], corners[1]]]
      : corners.map((p, i) => [p, corners[(i + 1) % corners.length]]);
