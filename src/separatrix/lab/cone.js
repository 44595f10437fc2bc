// The version space: all weights without a mistake, a cone in three dimensions, seen along w_f.
//
// A w with w.w_f > 0 meets the plane through w_f at a right angle to it in one point (the gnomonic
// projection). There the cone is a polygon, and every row z_n is the half-plane z_n.w > 0.

import { dot } from "lab/margin.js";

/** @param {number[]} a */
const unit = (a) => {
  const length = Math.sqrt(dot(a, a)) || 1;
  return a.map((x) => x / length);
};

/** @param {number[]} a @param {number[]} b */
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/**
 * The directions across w_f, and the projection of weights onto their plane.
 * @param {number[]} w_f
 */
export function viewAlong(w_f) {
  const axis = unit(w_f);
  const least = axis.map(Math.abs).indexOf(Math.min(...axis.map(Math.abs)));
  const right = unit(cross(axis, [0, 1, 2].map((j) => (j === least ? 1 : 0))));
  const up = cross(axis, right);
  return {
    axis,
    right,
    up,
    /** @param {number[]} w @returns {[number, number] | null} null: it points away */
    place(w) {
      const along = dot(w, axis);
      return along > 0 ? [dot(w, right) / along, dot(w, up) / along] : null;
    },
  };
}

/**
 * The share of all directions of w that make no mistake: the solid angle of the version space over
 * that of the sphere, 4 pi (van Oosterom and Strackee 1983, triangle by triangle).
 * @param {number[][]} corners of the version space, as places of a view
 */
export function shareOfDirections(corners) {
  let angle = 0;
  for (let i = 1; i + 1 < corners.length; i++) {
    const [p, q, r] = [corners[0], corners[i], corners[i + 1]];
    const [a, b, c] = [p, q, r].map(([s, t]) => Math.hypot(1, s, t));
    const mixed = (/** @type {number[]} */ u, /** @type {number[]} */ v) => 1 + u[0] * v[0] + u[1] * v[1];
    const volume = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
    angle += 2 * Math.atan2(volume, a * b * c + mixed(p, q) * c + mixed(q, r) * a + mixed(r, p) * b);
  }
  return angle / (4 * Math.PI);
}

/**
 * The corners of the version space inside a square of half-width `far`, against the clock.
 * @param {number[][]} Z
 * @param {ReturnType<typeof viewAlong>} view
 * @param {number} far
 */
export function versionSpace(Z, view, far) {
  /** @type {number[][]} */
  let corners = [[-far, -far], [far, -far], [far, far], [-far, far]];
  for (const z of Z) {
    const plane = [dot(z, view.axis), dot(z, view.right), dot(z, view.up)];
    const value = (/** @type {number[]} */ p) => plane[0] + plane[1] * p[0] + plane[2] * p[1];
    corners = corners.flatMap((p, i) => {
      const q = corners[(i + 1) % corners.length];
      const [a, b] = [value(p), value(q)];
      const kept = a > 0 ? [p] : [];
      if (a > 0 !== b > 0) kept.push([0, 1].map((j) => p[j] + (a / (a - b)) * (q[j] - p[j])));
      return kept;
    });
  }
  return corners;
}
