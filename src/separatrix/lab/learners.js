// The learners of the page: a row each. What a row has: its options, its run, and the same in Python.

import { gradientDescent } from "lab/descent.js";
import { KERNELS, dualPerceptron } from "lab/dual.js";
import { fewestMistakes } from "lab/fewest.js";
import { largestMargin } from "lab/margin.js";
import { pla } from "lab/pla.js";
import { pocket, ratchetPocket } from "lab/pocket.js";
import { linearRegression, logisticRegression } from "lab/regression.js";
import { separable } from "lab/separable.js";
import { averagedPerceptron, marginPerceptron, passiveAggressive, votedPerceptron } from "lab/variants.js";

/**
 * @typedef {import("lab/pla.js").Walk} Walk
 * @typedef {Record<string, any>} Options
 *
 * @typedef {object} Field an option that the page offers
 * @property {string} key
 * @property {string} word
 * @property {any} initial
 * @property {string[]} [choices] names of words; a number where absent
 * @property {number} [least]
 * @property {number} [most]
 *
 * @typedef {object} Learner
 * @property {string[]} fields keys of FIELDS
 * @property {Options} [initial] where it differs from that of FIELDS
 * @property {string[]} [visits] its orders of visits, where they are fewer
 * @property {(rows: number[][], y: number[], options: Options) => Walk | null} run null: no such line
 * @property {(options: Options) => string} python the estimator
 */

/** @type {Record<string, Field>} */
export const FIELDS = {
  visit: { key: "visit", word: "visit", initial: "cyclic", choices: ["cyclic", "naive", "permuted", "random"] },
  signOfZero: { key: "signOfZero", word: "signOfZero", initial: "mistake", choices: ["mistake", "yes", "no"] },
  eta: { key: "eta", word: "eta", initial: 1, least: 1e-9, most: 1e9 },
  seed: { key: "seed", word: "seed", initial: 0, least: 0, most: 2 ** 32 - 1 },
  maxUpdates: { key: "maxUpdates", word: "maxUpdates", initial: 2000, least: 0, most: 20000 },
  start0: { key: "start0", word: "startAt", initial: 0, least: -1e9, most: 1e9 },
  start1: { key: "start1", word: "startAt", initial: 0, least: -1e9, most: 1e9 },
  start2: { key: "start2", word: "startAt", initial: 0, least: -1e9, most: 1e9 },
  margin: { key: "margin", word: "marginOption", initial: 1, least: 0, most: 1e9 },
  C: { key: "C", word: "C", initial: 1, least: 1e-9, most: 1e9 },
  kernel: { key: "kernel", word: "kernel", initial: "polynomial", choices: ["linear", "polynomial", "rbf"] },
  degree: { key: "degree", word: "degree", initial: 2, least: 1, most: 9 },
  gamma: { key: "gamma", word: "gamma", initial: 1, least: 1e-6, most: 1e6 },
  measure: { key: "measure", word: "measure", initial: "cross_entropy", choices: ["perceptron", "squared", "cross_entropy"] },
  batch: { key: "batch", word: "batch", initial: "batchAll", choices: ["batchAll", "batchOne"] },
};

const START = ["start0", "start1", "start2"];
/** @type {Record<string, -1 | 0 | 1>} */
const SIGN = { mistake: 0, yes: 1, no: -1 };

/** @param {Options} o */
const start = (o) => [o.start0 ?? 0, o.start1 ?? 0, o.start2 ?? 0];

/**
 * What a learner answers where its score is 0. A pocket counts such a row as a mistake, whatever corrects it.
 * @param {string} learner
 * @param {Options} o
 */
export const zeroOf = (learner, o) => (["pocket", "ratchet"].includes(learner) ? 0 : SIGN[o.signOfZero ?? "mistake"]);

/** @param {Options} o */
const walking = (o) => ({ ...o, signOfZero: SIGN[o.signOfZero ?? "mistake"], start: start(o) });

/**
 * An estimator's call, without what is its default.
 * @param {string} name
 * @param {[string, any, any][]} parameters name, value, default
 */
function call(name, parameters) {
  const given = parameters.filter(([, value, usual]) => JSON.stringify(value) !== JSON.stringify(usual));
  const text = (/** @type {any} */ v) => (typeof v === "string" && !v.startsWith("sx.") ? `"${v}"` : JSON.stringify(v));
  return `sx.${name}(${given.map(([key, value]) => `${key}=${text(value)}`).join(", ")})`;
}

/** As many updates as on the page, and no other limit. @param {Options} o @returns {[string, any, any][]} */
const limits = (o) => [["max_updates", o.maxUpdates, 0], ["max_iter", null, 0]];

/** @param {Options} o @returns {[string, any, any][]} */
const common = (o) => {
  const w = start(o);
  return [
    ["sign_of_zero", SIGN[o.signOfZero ?? "mistake"] || "mistake", "mistake"],
    ["init", w.some((a) => a !== 0) ? w : null, null],
    ["random_state", ["permuted", "random"].includes(o.visit) ? o.seed : null, null],
  ];
};

/**
 * A single line as a run.
 * @param {number[] | null | undefined} w
 * @returns {Walk | null}
 */
const one = (w) => (w ? { weights: [w], rows: [], ended: "done", passes: 1 } : null);

/** @type {Record<string, Learner>} */
export const LEARNERS = {
  pla: {
    fields: ["visit", "signOfZero", "eta", "maxUpdates", "seed", ...START],
    run: (rows, y, o) => pla(rows, y, walking(o)),
    python: (o) =>
      call("Perceptron", [["visit", o.visit, "cyclic"], ["learning_rate", o.eta, 1],
        ...limits(o), ...common(o)]),
  },
  pocket: {
    fields: ["visit", "signOfZero", "maxUpdates", "seed", ...START],
    initial: { visit: "random", maxUpdates: 200 },
    run: (rows, y, o) => pocket(rows, y, walking(o)),
    python: (o) => call("Pocket", [["visit", o.visit, "random"], ["max_updates", o.maxUpdates, 1000], ...common(o)]),
  },
  ratchet: {
    fields: ["visit", "signOfZero", "maxUpdates", "seed"],
    visits: ["cyclic", "permuted"],
    run: (rows, y, o) => ratchetPocket(rows, y, walking(o)),
    python: (o) => call("RatchetPocket", [["visit", o.visit, "random"], ["max_updates", o.maxUpdates, 1000], ["max_iter", 100, 1000], ...common(o)]),
  },
  averaged: {
    fields: ["signOfZero", "maxUpdates", ...START],
    run: (rows, y, o) => averagedPerceptron(rows, y, walking(o)),
    python: (o) => call("AveragedPerceptron", [...limits(o), ...common(o)]),
  },
  voted: {
    fields: ["signOfZero", "maxUpdates", ...START],
    run: (rows, y, o) => votedPerceptron(rows, y, walking(o)),
    python: (o) => call("VotedPerceptron", [...limits(o), ...common(o)]),
  },
  margin: {
    fields: ["margin", "visit", "eta", "maxUpdates", "seed", ...START],
    visits: ["cyclic", "naive", "permuted"],
    run: (rows, y, o) => marginPerceptron(rows, y, walking(o)),
    python: (o) => call("MarginPerceptron", [["margin", o.margin, 0], ["visit", o.visit, "cyclic"], ["learning_rate", o.eta, 1], ...limits(o), ...common(o).slice(1)]),
  },
  passive: {
    fields: ["C", "maxUpdates", ...START],
    initial: { maxUpdates: 500 },
    run: (rows, y, o) => passiveAggressive(rows, y, walking(o)),
    python: (o) => call("PassiveAggressive", [["C", o.C, 1], ...limits(o), ...common(o).slice(1, 2)]),
  },
  dual: {
    fields: ["kernel", "degree", "gamma", "visit", "signOfZero", "maxUpdates", "seed"],
    run: (rows, y, o) => {
      const points = rows.map((x) => x.slice(1));
      const kernel = KERNELS[o.kernel](o.gamma, o.degree);
      const found = dualPerceptron(points, y, kernel, walking(o));
      return { weights: [[0, 0, 0], ...found.rows.map(() => [0, 0, 0])], rows: found.rows, ended: found.done ? "done" : "updates", passes: found.passes };
    },
    python: (o) => call("DualPerceptron", [["kernel", o.kernel, ""],
      ...(o.kernel === "polynomial" ? /** @type {[string, any, any][]} */ ([["degree", o.degree, 0]]) : []),
      ...(o.kernel === "linear" ? [] : /** @type {[string, any, any][]} */ ([["gamma", o.gamma, null]])),
      ["visit", o.visit, "cyclic"], ...limits(o), ...common(o).filter(([key]) => key !== "init")]),
  },
  descent: {
    fields: ["measure", "batch", "eta", "maxUpdates", ...START],
    initial: { eta: 0.1, maxUpdates: 200 },
    run: (rows, y, o) => gradientDescent(rows, y, { ...walking(o), batch: o.batch === "batchOne" ? "online" : "batch" }),
    python: (o) => call("GradientDescent", [["error", o.measure, ""], ["learning_rate", o.eta, null], ["max_updates", o.maxUpdates, null],
      ["batch_size", o.batch === "batchOne" ? 1 : null, null], ...common(o).slice(1, 2)])
      .replace("batch_size=1", "batch_size=1, shuffle=False"),
  },
  linear: {
    fields: [],
    run: (rows, y) => one(linearRegression(rows, y)),
    python: () => "sx.LinearRegressionClassifier()",
  },
  logistic: {
    fields: [],
    run: (rows, y) => logisticRegression(rows, y),
    python: () => "sx.LogisticRegression()",
  },
  fewest: {
    fields: [],
    run: (rows, y) => one(fewestMistakes(rows.map((x) => x.slice(1)), y).weights),
    python: () => "sx.MinimumErrorClassifier()",
  },
  widest: {
    fields: [],
    run: (rows, y) => {
      const found = separable(rows.map((x) => x.slice(1)), y);
      return found.verdict === "separable" ? one(largestMargin(rows, y, found.weights)?.w_f) : null;
    },
    python: () => "sx.separability(X, y).weights",
  },
};

/**
 * What an option of a learner may be; undefined where it is a number.
 * @param {string} learner
 * @param {string} key
 */
export const choicesOf = (learner, key) => (key === "visit" && LEARNERS[learner].visits) || FIELDS[key].choices;

/**
 * A learner's options as they are at first.
 * @param {string} name
 * @returns {Options}
 */
export const initialOptions = (name) => ({
  ...Object.fromEntries(LEARNERS[name].fields.map((key) => [key, FIELDS[key].initial])),
  ...LEARNERS[name].initial,
});
