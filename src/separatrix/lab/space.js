// Weight space: the version space, the half-plane of every point, and the move of an update.

import { shareOfDirections, versionSpace, viewAlong } from "lab/cone.js";
import { path, piece } from "lab/svg.js";

const HALF = 150;
const DRAWN = 140;
const MOST_LINES = 60;

/**
 * What stays the same for all steps of a run.
 * @param {number[][]} Z the rows y (1, x)
 * @param {number[]} w_f
 */
export function spaceOf(Z, w_f) {
  const view = viewAlong(w_f);
  const corners = versionSpace(Z, view, 50);
  const sizes = corners.map((p) => Math.max(...p.map(Math.abs)));
  const near = sizes.filter((a) => a < 49);
  const far = near.length ? Math.min(40, Math.max(1e-6, 1.7 * Math.max(...near))) : 4;
  const share = shareOfDirections(near.length === sizes.length ? corners : versionSpace(Z, view, 1e6));
  return { Z, view, far, share, cell: versionSpace(Z, view, 1.1 * far) };
}

/**
 * Draw it after an update: the half-plane of the row, and the way from w to w'.
 * @param {SVGElement} svg
 * @param {ReturnType<typeof spaceOf>} space
 * @param {{w: number[] | null, before: number[] | null, row: number}} step row: -1 where no single row was corrected
 * @returns {boolean} whether w is on the picture
 */
export function drawSpace(svg, space, { w, before, row }) {
  const { Z, view, far } = space;
  const place = (/** @type {number[]} */ p) => [HALF + (DRAWN * p[0]) / far, HALF - (DRAWN * p[1]) / far];
  if (svg.dataset.drawn !== "yes" || drawnSpace !== space) {
    drawnSpace = space;
    svg.dataset.drawn = "yes";
    svg.setAttribute("viewBox", `0 0 ${2 * HALF} ${2 * HALF}`);
    const [cx, cy] = place([0, 0]);
    svg.replaceChildren(
      ...Z.slice(0, MOST_LINES).flatMap((z) => edgeOf(z, space)).map((ends) => piece("path", { d: path(ends.map(place)), class: "half" })),
      piece("path", { d: path(space.cell.map(place)) + "Z", class: "cell" }),
      piece("circle", { cx, cy, r: 4, class: "centre" }),
      piece("g", { class: "moves" }),
    );
  }
  const moves = /** @type {SVGElement} */ (svg.lastElementChild);
  moves.replaceChildren();
  if (row >= 0) {
    const corners = versionSpace([Z[row]], view, 1.1 * far);
    if (corners.length) moves.append(piece("path", { d: path(corners.map(place)) + "Z", class: "row-side" }));
    for (const ends of edgeOf(Z[row], space)) moves.append(piece("path", { d: path(ends.map(place)), class: "row-edge" }));
  }
  const spot = (/** @type {number[] | null} */ v) => {
    const found = v && v.some((a) => a !== 0) ? view.place(v) : null;
    return found && place(found.map((a) => Math.max(-1.04 * far, Math.min(1.04 * far, a))));
  };
  const [from, to] = [spot(before), spot(w)];
  if (from && to && row >= 0) {
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const length = Math.hypot(dx, dy);
    moves.append(piece("circle", { cx: from[0], cy: from[1], r: 4, class: "before" }), piece("path", { d: path([from, to]), class: "move" }));
    if (length > 16) {
      const [u, v] = [dx / length, dy / length];
      const tip = [to[0] - 6 * u, to[1] - 6 * v];
      moves.append(piece("path", { d: path([[tip[0] - 8 * u + 4 * v, tip[1] - 8 * v - 4 * u], tip, [tip[0] - 8 * u - 4 * v, tip[1] - 8 * v + 4 * u]]), class: "move" }));
    }
  }
  if (to) moves.append(piece("circle", { cx: to[0], cy: to[1], r: 5, class: "here" }));
  return to !== null;
}

/** @type {ReturnType<typeof spaceOf> | null} */ let drawnSpace = null;

/**
 * The line z.w = 0 on the picture; none where it runs outside of every picture.
 * @param {number[]} z
 * @param {ReturnType<typeof spaceOf>} space
 */
function edgeOf(z, { view, far }) {
  const [a, b, c] = [view.axis, view.right, view.up].map((u) => z[0] * u[0] + z[1] * u[1] + z[2] * u[2]);
  const length = Math.hypot(b, c);
  if (!(length > 0) || Math.abs(a) / length > 1.6 * far) return [];
  const foot = [(-a * b) / length ** 2, (-a * c) / length ** 2];
  const along = [(-c / length) * 4 * far, (b / length) * 4 * far];
  return [[[foot[0] - along[0], foot[1] - along[1]], [foot[0] + along[0], foot[1] + along[1]]]];
}
