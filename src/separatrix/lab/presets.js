// The examples of the page: points made by a seeded generator, the same on every machine.

import { Generator } from "lab/random.js";

/** @typedef {{x: [number, number], y: 1 | -1}} Point */

/** @param {number} a */
const rounded = (a) => Math.round(a * 10) / 10;

/**
 * Points of a square, labelled by a line, none nearer to it than a gap.
 * @param {number} count
 * @param {number} seed
 * @param {number} gap
 * @param {number[]} line w_0, w_1, w_2
 * @returns {Point[]}
 */
function byLine(count, seed, gap, line) {
  const generator = new Generator(seed);
  /** @type {Point[]} */
  const points = [];
  const length = Math.hypot(line[1], line[2]);
  while (points.length < count) {
    const x = /** @type {[number, number]} */ ([0, 1].map(() => rounded(16 * generator.random() - 8)));
    const score = (line[0] + line[1] * x[0] + line[2] * x[1]) / length;
    if (Math.abs(score) >= gap) points.push({ x, y: score > 0 ? 1 : -1 });
  }
  return points;
}

/**
 * The same points with some labels turned round.
 * @param {Point[]} points
 * @param {number[]} rows
 * @returns {Point[]}
 */
const turned = (points, rows) =>
  points.map((p, n) => (rows.includes(n) ? { ...p, y: p.y > 0 ? -1 : 1 } : p));

/**
 * Points (a, b) of whose labels a score decides, with noise.
 * @param {number} seed
 * @param {[number, number]} low
 * @param {[number, number]} high
 * @param {(a: number, b: number, noise: number) => number} score
 * @returns {Point[]}
 */
function story(seed, low, high, score) {
  const generator = new Generator(seed);
  return Array.from({ length: 40 }, () => {
    const [a, b] = [0, 1].map((j) => Math.round(low[j] + (high[j] - low[j]) * generator.random()));
    const y = score(a, b, generator.random() + generator.random() - 1) > 0 ? 1 : -1;
    return { x: [a, b], y };
  });
}

/**
 * Points from text such as "o1,2 x3,4".
 * @param {string} text
 * @returns {Point[]}
 */
const written = (text) =>
  text.split(" ").map((point) => {
    const [a, b] = point.slice(1).split(",").map(Number);
    return { x: [a, b], y: point[0] === "o" ? 1 : -1 };
  });

/** @type {Record<string, () => Point[]>} */
export const PRESETS = {
  exSwings: () => written("o2,3 o1,5 o-2,6 x3,-3 o4,4 x5,0 o-1,2 x1,-4 x6,2 o6,7 x-2,-2 x4,-6 o-5,5 x-5,-1"),
  exSeparable: () => byLine(20, 1, 1, [1, 2, 1]),
  exBarely: () => [
    ...byLine(20, 2, 1.5, [0, 1, 2]),
    { x: [6, -2.99], y: 1 },
    { x: [6, -3.01], y: -1 },
  ],
  exXor: () => [
    { x: [0, 0], y: -1 },
    { x: [0, 1], y: 1 },
    { x: [1, 0], y: 1 },
    { x: [1, 1], y: -1 },
  ],
  exCircle: () => {
    const generator = new Generator(8);
    return Array.from({ length: 40 }, () => {
      const [a, b] = [0, 1].map(() => rounded(4 * generator.random() - 2));
      return /** @type {Point} */ ({ x: [a, b], y: a * a + b * b < 2 ? 1 : -1 });
    });
  },
  exTouching: () => written("o0,0 o2,2 o3,3 o-2,1 x1,1 x4,0 x3,-3 x0,-2"),
  exFlipped: () => turned(byLine(20, 3, 1.5, [1, 1, -1]), [4]),
  exNoise: () => {
    const generator = new Generator(4);
    const points = byLine(60, 4, 0, [0, 1, 1]);
    return turned(points, points.map((_, n) => n).filter(() => generator.random() < 0.12));
  },
  exCredit: () => story(5, [20, 20], [65, 120], (age, income, noise) => income + 0.8 * age - 105 + 30 * noise),
  exGraduation: () => story(6, [30, 30], [100, 100], (one, two, noise) => one + two - 130 + 25 * noise),
  exOutlier: () => [...byLine(24, 7, 1.5, [0, 1, 0.3]), { x: [60, 0], y: 1 }],
};
