// The largest margin, and the theorem: w_f.w_t grows fast, |w_t|^2 slowly, so PLA stops.
//
// The line of the largest margin in the space of (1, x) is the point of the hull of the z_n that is
// nearest to 0 (Wolfe 1976). Doubles find it; the bound is computed from it in whole numbers.

import { solve } from "lab/regression.js";
import { exactSign, whole } from "lab/sign.js";

/** @param {number[]} a @param {number[]} b */
export const dot = (a, b) => a.reduce((sum, x, j) => sum + x * b[j], 0);

/**
 * The point of the hull of some vectors that is nearest to 0.
 * @param {number[][]} Z
 */
export function nearestPoint(Z) {
  const scale = Math.max(...Z.flat().map(Math.abs)) || 1;
  const points = Z.map((z) => z.map((a) => a / scale));
  const lengths = points.map((z) => dot(z, z));
  let active = [lengths.indexOf(Math.min(...lengths))];
  let shares = [1];
  let nearest = points[active[0]];
  for (let round = 0; round < 1000; round++) {
    const scores = points.map((z) => dot(z, nearest));
    const next = scores.indexOf(Math.min(...scores));
    if (scores[next] >= dot(nearest, nearest) * (1 - 1e-13) || active.includes(next)) break;
    active.push(next);
    shares.push(0);
    for (;;) {
      const affine = affineShares(active.map((n) => points[n]));
      if (!affine) return nearest.map((a) => a * scale);
      if (affine.every((s) => s > 0)) {
        shares = affine;
        break;
      }
      const steps = affine.map((s, k) => (s <= 0 ? shares[k] / (shares[k] - s) : 1));
      const step = Math.min(...steps);
      shares = shares.map((s, k) => s + step * (affine[k] - s));
      const gone = steps.indexOf(step);
      active = active.filter((_, k) => k !== gone);
      shares = shares.filter((_, k) => k !== gone);
    }
    nearest = nearest.map((_, j) => active.reduce((sum, n, k) => sum + shares[k] * points[n][j], 0));
  }
  return nearest.map((a) => a * scale);
}

/**
 * Shares, adding up to 1, of the point nearest to 0 in the plane through some points.
 * @param {number[][]} points
 */
function affineShares(points) {
  const system = [
    [0, ...points.map(() => 1)],
    ...points.map((p) => [1, ...points.map((q) => dot(p, q))]),
  ];
  const found = solve(system, [1, ...points.map(() => 0)]);
  return found && found.slice(1);
}

/**
 * @typedef {object} Margin
 * @property {number[]} w_f
 * @property {number} rho min z.w_f / |w_f|
 * @property {number} R max |z|
 * @property {bigint} bound floor((R / rho)^2), exactly, for this w_f
 */

/**
 * The margin of the best line found; null where none is found without a mistake.
 * @param {number[][]} rows (1, x_1, x_2)
 * @param {number[]} y
 * @param {number[]} [separating] a line known to separate, where the search fails
 * @returns {Margin | null}
 */
export function largestMargin(rows, y, separating) {
  const Z = rows.map((x, n) => x.map((a) => a * y[n]));
  const candidates = [nearestPoint(Z), ...(separating ? [separating] : [])];
  const w_f = candidates.find((w) => Z.every((z) => exactSign(w, z) > 0));
  if (!w_f) return null;
  const length = Math.sqrt(dot(w_f, w_f));
  return {
    w_f,
    rho: Math.min(...Z.map((z) => dot(z, w_f))) / length,
    R: Math.sqrt(Math.max(...rows.map((x) => dot(x, x)))),
    bound: mistakeBound(Z, w_f),
  };
}

/**
 * floor((R / rho)^2), exactly.
 * @param {number[][]} Z
 * @param {number[]} w_f with z.w_f > 0 for all z
 */
export function mistakeBound(Z, w_f) {
  const entries = whole(Z.flat()).integers;
  const vectors = Z.map((_, n) => entries.slice(3 * n, 3 * n + 3));
  const w = whole(w_f).integers;
  const inner = (/** @type {bigint[]} */ a, /** @type {bigint[]} */ b) => a.reduce((sum, x, j) => sum + x * b[j], 0n);
  const least = vectors.map((z) => inner(z, w)).reduce((m, v) => (v < m ? v : m));
  const R2 = vectors.map((z) => inner(z, z)).reduce((m, v) => (v > m ? v : m));
  return (R2 * inner(w, w)) / (least * least);
}

/**
 * The two lines of the proof beside what they bound, for t = 0, ..., T.
 * @param {number[][]} weights w_0, ..., w_T
 * @param {Margin} margin
 */
export function growthOf(weights, margin) {
  const { w_f, rho, R } = margin;
  const length = Math.sqrt(dot(w_f, w_f));
  const along = dot(w_f, weights[0]) / length;
  const start = dot(weights[0], weights[0]);
  return weights.map((w, t) => {
    const inner = dot(w_f, w) / length;
    const squared = dot(w, w);
    return {
      inner,
      innerLeast: along + t * rho,
      squared,
      squaredMost: start + t * R * R,
      cosine: squared ? inner / Math.sqrt(squared) : 0,
      cosineLeast: t ? (along + t * rho) / Math.sqrt(start + t * R * R) : 0,
    };
  });
}
