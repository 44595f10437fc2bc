// A CSV file as rows of text, and which of its columns are numbers and which a label.

/**
 * @typedef {object} Table
 * @property {string[]} names
 * @property {string[][]} rows
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
    numeric: indices.filter((j) => columns[j].length && columns[j].filter(isNumber).length > columns[j].length / 2),
    binary: indices.filter((j) => new Set(columns[j]).size === 2),
  };
}

/**
 * The points of two columns and a label; rows without a number or a label are left out.
 * @param {Table} table
 * @param {{label: number, yes: string, across: number, up: number}} chosen
 */
export function pointsOf(table, { label, yes, across, up }) {
  const used = table.rows.filter((row) => row[label].trim() && isNumber(row[across]) && isNumber(row[up]));
  const points = used.map((row) => ({
    x: /** @type {[number, number]} */ ([Number(row[across]), Number(row[up])]),
    y: /** @type {1 | -1} */ (row[label].trim() === yes ? 1 : -1),
  }));
  return { points, left: table.rows.length - used.length };
}
