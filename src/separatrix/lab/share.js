// The state of the page in its address, as a file, and as the program that repeats the run.

import { FIELDS, LEARNERS, choicesOf, initialOptions } from "lab/learners.js";
import { PRESETS } from "lab/presets.js";

/**
 * @typedef {import("lab/presets.js").Point} Point
 * @typedef {{points: Point[], learner: string, options: Record<string, any>}} State
 */

export const MOST_POINTS = 500;
const MOST_CHARACTERS = 60000;
const NUMBER = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;

/**
 * The state as the fragment of an address. Numbers keep all their digits.
 * @param {State} state
 */
export function toFragment(state) {
  const points = state.points.map(({ x, y }) => `${y > 0 ? "o" : "x"}${x[0]}_${x[1]}`).join("~");
  const usual = initialOptions(state.learner);
  const options = Object.entries(state.options).filter(([key, value]) => usual[key] !== value);
  return `#p=${points}&l=${state.learner}${options.map(([key, value]) => `&${key}=${value}`).join("")}`;
}

/** What a fragment says of the page itself. @param {string} fragment */
export const pageOf = (fragment) => ({
  figure: /&figure=1(&|$)/.test(fragment),
  language: /** @type {"en" | "zh-Hant" | undefined} */ (/&lang=(en|zh-Hant)(&|$)/.exec(fragment)?.[1]),
});

/**
 * The state of a fragment, whose points may be an example's (e). Null where it is damaged, so that
 * nothing of it is used.
 * @param {string} fragment
 * @returns {State | null}
 */
export function fromFragment(fragment) {
  if (fragment.length > MOST_CHARACTERS) return null;
  const fields = new Map(fragment.replace(/^#/, "").split("&").map((part) => {
    const at = part.indexOf("=");
    return /** @type {[string, string]} */ ([part.slice(0, at), part.slice(at + 1)]);
  }));
  const learner = fields.get("l") ?? "pla";
  if (!Object.hasOwn(LEARNERS, learner)) return null;
  const example = fields.get("e");
  if (example !== undefined && (fields.has("p") || !Object.hasOwn(PRESETS, example))) return null;
  if (!["1", undefined].includes(fields.get("figure"))) return null;
  if (!["en", "zh-Hant", undefined].includes(fields.get("lang"))) return null;
  const points = example ? PRESETS[example]() : (fields.get("p") ?? "").split("~").filter(Boolean).map(pointOf);
  if (points.length > MOST_POINTS || points.includes(null)) return null;
  /** @type {Record<string, any>} */
  const options = initialOptions(learner);
  for (const [key, text] of fields) {
    if (["p", "e", "l", "figure", "lang"].includes(key)) continue;
    if (!Object.hasOwn(options, key)) return null;
    const value = checked(learner, key, text);
    if (value === undefined) return null;
    options[key] = value;
  }
  return { points: /** @type {Point[]} */ (points), learner, options };
}

/** @param {string} text @returns {Point | null} */
function pointOf(text) {
  const [a, b, ...more] = text.slice(1).split("_");
  if (!"ox".includes(text[0]) || more.length || !NUMBER.test(a) || !NUMBER.test(b ?? "")) return null;
  const x = /** @type {[number, number]} */ ([Number(a), Number(b)]);
  return x.every((v) => Math.abs(v) <= 1e12) ? { x, y: text[0] === "o" ? 1 : -1 } : null;
}

/**
 * An option of a learner as it may be; undefined where it may not.
 * @param {string} learner
 * @param {string} key
 * @param {string} text
 */
export function checked(learner, key, text) {
  const { least = -Infinity, most = Infinity } = FIELDS[key];
  const choices = choicesOf(learner, key);
  if (choices) return choices.includes(text) ? text : undefined;
  const value = NUMBER.test(text) ? Number(text) : NaN;
  const whole = ["seed", "maxUpdates", "degree"].includes(key);
  return value >= least && value <= most && (!whole || Number.isInteger(value)) ? value : undefined;
}

/** @param {Point[]} points */
export const toCsv = (points) =>
  ["x1,x2,label", ...points.map(({ x, y }) => `${x[0]},${x[1]},${y > 0 ? "yes" : "no"}`)].join("\n") + "\n";

/**
 * A Python program that makes this very run.
 * @param {State} state
 */
export function toPython({ points, learner, options }) {
  const X = points.map(({ x }) => `    [${x[0]}, ${x[1]}],`).join("\n");
  const y = points.map((p) => p.y).join(", ");
  const made = LEARNERS[learner].python(options).replaceAll("null", "None");
  const shown = ["dual", "voted"].includes(learner) ? "model.predict(X)" : "model.intercept_, model.coef_";
  const fit = made.startsWith("sx.separability") ? `w = ${made}\nprint(w)` : `model = ${made}\nmodel.fit(X, y)\nprint(${shown})`;
  return `import separatrix as sx\n\nX = [\n${X}\n]\ny = [${y}]\n${fit}\n`;
}
