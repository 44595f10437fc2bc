// Pieces of SVG, and pictures with axes.

import { short } from "lab/words.js";

const NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * @param {string} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {string} [text]
 */
export function piece(tag, attributes = {}, text = "") {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text) element.textContent = text;
  return element;
}

/**
 * Put a text into an element; what stands after _ is lowered: w_t, E_in.
 * @param {Element} element
 * @param {string} text
 */
export function write(element, text) {
  const svg = element.namespaceURI === NAMESPACE;
  const pieces = text.split(/(_(?:in|t|f))(?![a-z])/).filter(Boolean);
  let low = false;
  element.replaceChildren(...pieces.map((part) => {
    const lowered = /^_(in|t|f)$/.test(part);
    if (!svg) return lowered ? Object.assign(document.createElement("sub"), { textContent: part.slice(1) }) : part;
    const found = piece("tspan", { dy: lowered ? 3 : low ? -3 : 0, ...(lowered ? { class: "low" } : {}) }, lowered ? part.slice(1) : part);
    low = lowered;
    return found;
  }));
}

/**
 * A round step, that goes about `count` times between two numbers.
 * @param {number} low
 * @param {number} high
 * @param {number} count
 */
export function spacing(low, high, count) {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * ([1, 2, 5].find((k) => k * power >= raw) ?? 10);
}

/**
 * About `count` round numbers between two.
 * @param {number} low
 * @param {number} high
 */
export function ticks(low, high, count = 5) {
  const step = spacing(low, high, count);
  const first = Math.ceil(low / step);
  const many = Math.floor(high / step) - first;
  return Array.from({ length: Math.max(0, Math.min(many, 50)) + 1 }, (_, i) => (first + i) * step);
}

/** @param {number[][]} points */
export const path = (points) => points.map((p, i) => `${i ? "L" : "M"}${p[0].toFixed(2)} ${p[1].toFixed(2)}`).join("");

/** @type {WeakMap<SVGElement, {series: object, title: string, span: number[], marks: SVGElement[]}>} */
const charted = new WeakMap();

/**
 * A small chart: series over 0, ..., T, and where the run stands.
 * @param {SVGElement} svg
 * @param {{values: number[], name: string}[]} series
 * @param {number} at
 * @param {string} title
 */
export function chart(svg, series, at, title) {
  const [width, height, left, bottom, top] = [320, 130, 46, 20, 20];
  const found = charted.get(svg);
  const same = found?.series === series && found.title === title;
  const all = same ? found.span : series.flatMap((s) => s.values).filter(Number.isFinite);
  const low = Math.min(0, ...all);
  const high = Math.max(...all, low + 1e-9);
  const span = [low, high];
  const count = Math.max(1, series[0].values.length - 1);
  const across = (/** @type {number} */ t) => left + ((width - left - 18) * t) / count;
  const up = (/** @type {number} */ v) => height - bottom - ((height - bottom - top) * (v - low)) / (high - low);
  const marksAt = () => [
    piece("line", { x1: across(at), x2: across(at), y1: top, y2: height - bottom, class: "now" }),
    piece("circle", { cx: across(at), cy: up(series[0].values[at] ?? 0), r: 3.5, class: `dot ${series[0].name}` }),
  ];
  if (same) {
    found.marks.forEach((mark) => mark.remove());
    const marks = marksAt();
    charted.set(svg, { series, title, span, marks });
    svg.append(...marks);
    return;
  }
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", title);
  const heading = piece("text", { x: 2, y: 12, class: "chart-title" });
  write(heading, title);
  svg.replaceChildren(heading);
  for (const value of ticks(low, high, 3)) {
    svg.append(piece("line", { x1: left, x2: width - 18, y1: up(value), y2: up(value), class: "grid" }));
    svg.append(piece("text", { x: left - 4, y: up(value) + 3, class: "tick end" }, short(value)));
  }
  for (const value of ticks(0, count, 5).filter(Number.isInteger)) {
    svg.append(piece("text", { x: across(value), y: height - 6, class: "tick middle" }, String(value)));
  }
  for (const { values, name } of series) {
    const stride = Math.ceil(values.length / 600);
    const kept = values.map((v, t) => [across(t), up(v)]).filter((_, t) => t % stride === 0 || t === values.length - 1);
    svg.append(piece("path", { d: path(kept.filter((p) => Number.isFinite(p[1]))), class: `series ${name}` }));
  }
  const marks = marksAt();
  charted.set(svg, { series, title, span, marks });
  svg.append(...marks);
}
