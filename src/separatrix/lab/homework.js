// Homework: a task, whether an answer is right, and the file to hand in. `separatrix grade` runs the
// same checks in the library; the page computes its own.

import { fewestMistakes } from "lab/fewest.js";
import { initialOptions } from "lab/learners.js";
import { moved, pla } from "lab/pla.js";
import { separable } from "lab/separable.js";
import { mistakes } from "lab/sign.js";

/**
 * @typedef {import("lab/presets.js").Point} Point
 *
 * @typedef {object} Task
 * @property {string} id
 * @property {"updates" | "weights" | "line" | "fewest" | "points"} kind
 * @property {Record<string, string>} title by language
 * @property {Record<string, string>} text
 * @property {Record<string, any>} run parameters of PLA
 * @property {Record<string, any>} asked
 * @property {[number, number, 1 | -1][]} points
 */

export const MOST_BYTES = 200000;
const KINDS = ["updates", "weights", "line", "fewest", "points"];
const KEYS = ["format", "version", "id", "kind", "title", "text", "run", "asked", "points"];

/**
 * The task of a JSON text; null where it is none.
 * @param {string} text
 * @returns {Task | null}
 */
export function readTask(text) {
  if (text.length > MOST_BYTES) return null;
  let task;
  try {
    task = JSON.parse(text);
  } catch {
    return null;
  }
  const isObject = (/** @type {any} */ a) => typeof a === "object" && a !== null && !Array.isArray(a);
  if (!isObject(task) || Object.keys(task).some((key) => !KEYS.includes(key))) return null;
  if (task.format !== "separatrix-task" || task.version !== 1 || !KINDS.includes(task.kind)) return null;
  if (typeof task.id !== "string" || !/^[a-z0-9-]{1,60}$/.test(task.id)) return null;
  const words = (/** @type {any} */ a) => isObject(a) && ["en", "zh-Hant"].every((key) => typeof a[key] === "string");
  if (!words(task.title) || !words(task.text) || !isObject(task.run) || !isObject(task.asked)) return null;
  const good = (/** @type {any} */ p) =>
    Array.isArray(p) && p.length === 3 && p.every((a) => typeof a === "number" && Math.abs(a) <= 1e12) && Math.abs(p[2]) === 1;
  if (!Array.isArray(task.points) || task.points.length > 500 || !task.points.every(good)) return null;
  const usual = initialOptions("pla");
  if (Object.entries(task.run).some(([key, value]) => typeof value !== typeof usual[key])) return null;
  return task;
}

/** @param {Task} task @returns {Point[]} */
export const pointsOfTask = (task) => task.points.map(([a, b, y]) => ({ x: [a, b], y }));

/** @param {Task} task */
export const optionsOfTask = (task) => ({ ...initialOptions("pla"), ...task.run });

/** @param {Task} task @param {Point[]} points */
function ran(task, points) {
  const options = optionsOfTask(task);
  const sign = /** @type {Record<string, -1 | 0 | 1>} */ ({ mistake: 0, yes: 1, no: -1 });
  return pla(points.map((p) => [1, ...p.x]), points.map((p) => p.y), { ...options, signOfZero: sign[options.signOfZero] });
}

/**
 * Numbers of an answer as it was typed: "1, -2.5 3".
 * @param {string} text
 */
export const numbersIn = (text) => text.split(/[\s,;()]+/).filter(Boolean).map(Number);

/**
 * Whether an answer is right, and what would be handed in.
 * @param {Task} task
 * @param {string} typed
 * @param {Point[]} points of the page
 * @returns {{right: boolean, answer: any, rows: number[]}}
 */
export function check(task, typed, points) {
  const given = task.kind === "points" ? points : pointsOfTask(task);
  const numbers = numbersIn(typed);
  const both = given.some((p) => p.y > 0) && given.some((p) => p.y < 0);
  const run = both ? ran(task, given) : null;
  const rows = run && task.kind !== "line" && task.kind !== "fewest" ? run.rows : [];
  const X = given.map((p) => [1, ...p.x]);
  const y = given.map((p) => p.y);
  const three = numbers.length === 3 && numbers.every(Number.isFinite);
  switch (task.kind) {
    case "updates":
      return { right: numbers.length === 1 && numbers[0] === rows.length, answer: numbers[0] ?? null, rows };
    case "fewest":
      return { right: numbers.length === 1 && numbers[0] === fewestMistakes(given.map((p) => p.x), y).mistakes, answer: numbers[0] ?? null, rows };
    case "line":
      return { right: three && mistakes(numbers, X, y).length <= task.asked.most, answer: numbers, rows };
    case "weights": {
      const { eta } = optionsOfTask(task);
      const w = rows.slice(0, task.asked.step).reduce((v, n) => moved(v, y[n], X[n]), [0, 0, 0]).map((a) => eta * a);
      return { right: three && w.every((a, j) => a === numbers[j]), answer: numbers, rows };
    }
    default: {
      const wish = task.asked;
      const fits =
        given.length >= (wish.least_points ?? 0) && given.length <= (wish.most_points ?? Infinity) &&
        rows.length >= (wish.least_updates ?? 0) && rows.length <= (wish.most_updates ?? Infinity);
      const parted = both && (separable(given.map((p) => p.x), y).verdict === "separable");
      const right = both && fits && (wish.separable === undefined || wish.separable === parted);
      return { right, answer: given.map((p) => [...p.x, p.y]), rows };
    }
  }
}

/**
 * The file to hand in.
 * @param {Task} task
 * @param {string} student
 * @param {ReturnType<typeof check>} checked
 */
export const handIn = (task, student, { answer, rows }) =>
  JSON.stringify({ format: "separatrix-hand-in", version: 1, task: task.id, student: student.slice(0, 200), answer, rows });
