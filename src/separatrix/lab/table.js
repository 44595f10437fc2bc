// A CSV file as rows of text, and which of its columns are numbers and which a label.

import { alongPrincipal } from "lab/principal.js";

/**
 * @typedef {object} Table
 * @property {string[]} names
 * @property {string[][]} rows
 * @property {number} ragged rows with another number of cells, left out
 * @property {number[]} numeric columns of numbers
 * @property {number[]} binary columns of two values
 */

/** @param {string} text */
const isNumber = (text) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) && Number.isFinite(Number(text));

/**
 * The records of a CSV text (RFC 4180), with the separator that its first line has most of.
 * @param {string} text
 */
export function records(text) {
  const head = text.slice(0, (text.indexOf("\n") + 1 || text.length + 1) - 1);
  const separator = [",", ";", "\t"].reduce((best, s) => (head.split(s).length > head.split(best).length ? s : best), ",");
  /** @type {string[][]} */
  const rows = [];
  let row = [""];
  let quoted = false;
  for (let i = text.charCodeAt(0) === 0xfeff ? 1 : 0; i < text.length; i++) {
    const c = text[i];
    const cell = row.length - 1;
    if (quoted) {
      if (c !== '"') row[cell] += c;
      else if (text[i + 1] === '"') row[cell] += text[i++];
      else quoted = false;
    } else if (c === '"' && row[cell] === "") quoted = true;
    else if (c === separator) row.push("");
    else if (c === "\n") {
      rows.push(row);
      row = [""];
    } else if (c !== "\r") row[cell] += c;
  }
  if (row.length > 1 || row[0]) rows.push(row);
  return rows.filter((cells) => cells.length > 1 || cells[0]);
}

/**
 * @param {string} text
 * @returns {Table}
 */
export function readTable(text) {
  const [names = [], ...all] = records(text);
  const rows = all.filter((row) => row.length === names.length);
  const columns = names.map((_, j) => rows.map((row) => row[j].trim()).filter(Boolean));
  const indices = names.map((_, j) => j);
  return {
    names,
    rows,
    ragged: all.length - rows.length,
    numeric: indices.filter((j) => columns[j].length && columns[j].filter(isNumber).length > columns[j].length / 2),
    binary: indices.filter((j) => new Set(columns[j]).size === 2),
  };
}

/** Axes that are no column: the first and the second principal direction. */
export const PRINCIPAL = [-1, -2];

/**
 * The points of two columns, or of two principal directions, and a label; rows without a number or
 * a label are left out, and counted by the column that lacks it.
 * @param {Table} table
 * @param {{label: number, yes: string, across: number, up: number}} chosen
 */
export function pointsOf(table, { label, yes, across, up }) {
  const along = [across, up].some((j) => j < 0) ? table.numeric.filter((j) => j !== label) : [];
  const needed = [...new Set([...along, ...[across, up].filter((j) => j >= 0)])];
  const lacking = (/** @type {string[]} */ row) => [
    ...needed.filter((j) => !isNumber(row[j])), ...(row[label].trim() ? [] : [label]),
  ];
  const used = table.rows.filter((row) => !lacking(row).length);
  const directions = along.length > 1 ? alongPrincipal(used.map((row) => along.map((j) => Number(row[j])))) : [];
  const value = (/** @type {string[]} */ row, /** @type {number} */ n, /** @type {number} */ j) =>
    j < 0 ? (directions[n]?.[-1 - j] ?? 0) : Number(row[j]);
  const points = used.map((row, n) => ({
    x: /** @type {[number, number]} */ ([value(row, n, across), value(row, n, up)]),
    y: /** @type {1 | -1} */ (row[label].trim() === yes ? 1 : -1),
  }));
  const missing = [...new Set([label, ...needed])]
    .map((j) => ({ name: table.names[j], count: table.rows.filter((row) => lacking(row).includes(j)).length }))
    .filter(({ count }) => count > 0);
  return { points, left: table.rows.length - used.length, missing };
}
