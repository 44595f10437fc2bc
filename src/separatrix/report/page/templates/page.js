// What the page can do with a script: it reads its own data, asks no host, and adds text alone.
(() => {
"use strict";
const one = (what, of = document) => of.querySelector(what);
const all = (what, of = document) => [...of.querySelectorAll(what)];
const make = (tag, text = "", more = {}) => Object.assign(document.createElement(tag), {textContent: text}, more);
const labelled = (text, control) => { const label = make("label", text); control.ariaLabel = text.trim(); label.append(control); return label; };
const minus = text => text.replace(/^-/, "\u2212");
const shown = value => minus(String(Math.abs(value) >= 1e3 && Math.abs(value) < 1e6 ? Math.round(value) : Number(value.toPrecision(3))));
const tipped = (element, text, full) => Object.assign(element, {textContent: text, title: minus(String(Number(full.toPrecision(6))))});
const signed = value => (value > 0 ? "+" : "") + shown(value);
const whole = value => value.toLocaleString("en");

// ---------------------------------------------------------------- any page: tables, folds, contents
const amount = text => {
  const plain = text.replace("\u2212", "-").replace(/,/g, "").trim();
  return parseFloat(plain) * (/\d ms$/.test(plain) ? 1e-3 : 1);
};
const compared = (a, b) => {
  const [x, y] = [amount(a), amount(b)];
  if (isNaN(x) && isNaN(y)) return a.localeCompare(b, "en");
  return isNaN(x) ? 1 : isNaN(y) ? -1 : x - y;
};
const full = cell => cell.title || one("[title]", cell)?.title || cell.textContent;
const sortable = table => {
  const heads = all("thead th", table), body = table.tBodies[0];
  heads.forEach((head, k) => {
    const button = make("button", "", {type: "button", className: "order"});
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.ariaSort === "ascending";
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.ariaSort = up ? "descending" : "ascending";
      const rows = [...body.rows].filter(row => row.cells.length > k);
      const last = [...body.rows].filter(row => row.cells.length <= k || row.cells[0].colSpan > 1);
      rows.sort((a, b) => compared(full(a.cells[k]), full(b.cells[k])) * (up ? -1 : 1));
      body.append(...rows, ...last);
    });
  });
};
all("table.sort").forEach(sortable);

// A table wider than its place becomes a card a row, each cell with its head.
const cards = (table, on) => {
  const heads = all("thead th, thead td", table);
  if (on) all("tbody tr", table).forEach(row => [...row.cells].forEach((cell, k) => { cell.dataset.head = heads.at(k - row.cells.length)?.textContent ?? ""; }));
  table.classList.toggle("cards", on);
};
const widths = new ResizeObserver(found => found.forEach(({target}) => {
  const table = one("table", target);
  table.classList.remove("cards");
  cards(table, target.scrollWidth > target.clientWidth + 1);
}));
all(".scroll").forEach(place => widths.observe(place));

const folds = all("details");
let closed = [];
addEventListener("beforeprint", () => { closed = folds.filter(f => !f.open); closed.forEach(f => { f.open = true; }); });
addEventListener("afterprint", () => closed.forEach(f => { f.open = false; }));
const links = all("nav a");
links.forEach(link => link.addEventListener("click", () => {
  const only = all("details", one(link.hash));
  if (only.length === 1) only[0].open = true;
}));
const here = new IntersectionObserver(found => found.forEach(entry => {
  if (!entry.isIntersecting) return;
  links.forEach(link => link.hash === "#" + entry.target.id ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current"));
}), {rootMargin: "-10% 0px -80% 0px"});
links.forEach(link => here.observe(one(link.hash)));

// ---------------------------------------------------------------- one question: its data
const data = one("#live") && JSON.parse(one("#live").textContent);
if (!data) return;
const say = (text, values = {}) => (data.words[text] || text).replace(/\{(\w+)\}/g, (_, name) => values[name]);
const [no, yes] = data.labels, weighted = data.steps[0].length > 3;
const said = answer => answer ? yes : no;
let touched = false;
let at = data.steps.findIndex(step => step[0] === data.threshold);
const original = at;

// ---------------------------------------------------------------- rows, right and wrong
const rows = one("#answers");
const choose = make("select");
["all rows", "mistakes", "right answers"].forEach((text, k) => choose.append(make("option", say(text), {value: k})));
choose.addEventListener("change", () => all("tbody tr", rows).forEach(row => {
  row.hidden = choose.value > 0 && row.classList.contains("mistake") !== (choose.value === "1");
}));
const filter = make("p", "", {className: "controls"});
filter.append(labelled(say("Show") + " ", choose));
rows.closest(".scroll").before(filter);

// ---------------------------------------------------------------- one row of the reader's own
// A double is m 2^e with whole m: a sum of products is exact, and so is its sign.
const view = new DataView(new ArrayBuffer(8));
const split = x => {
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0), e = Number(bits >> 52n & 2047n), low = bits & (1n << 52n) - 1n;
  const m = e ? low | 1n << 52n : low;
  return [x < 0 ? -m : m, (e || 1) - 1075];
};
const exactly = pairs => {
  const terms = pairs.map(([a, b]) => { const [m, e] = split(a), [n, f] = split(b); return [m * n, e + f]; });
  const least = Math.min(...terms.map(t => t[1]));
  return [terms.reduce((sum, [m, e]) => sum + (m << BigInt(e - least)), 0n), least];
};
const rounded = ([m, e]) => {
  const size = (m < 0n ? -m : m).toString(2).length, cut = Math.max(0, size - 64);
  return Number(m >> BigInt(cut)) * 2 ** ((e + cut) >> 1) * 2 ** (e + cut - ((e + cut) >> 1));
};
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const valueOf = (column, control) => {
  if (column.levels) return Number(control.value);
  const text = control.value.trim().replace("\u2212", "-");
  if (text === "") return column.fill ?? null;
  return NUMBER.test(text) && isFinite(Number(text)) ? Number(text) : null;
};
const controls = data.columns.map(column => {
  if (!column.levels) {
    return make("input", "", {type: "text", inputMode: "decimal", autocomplete: "off", value: column.value ?? "", placeholder: say(column.fill === null ? "a number" : "missing"), title: column.usual ? say("usually {values}", {values: column.usual}) : ""});
  }
  const select = make("select");
  column.levels.forEach((level, k) => select.append(make("option", level, {value: k, selected: k === column.value})));
  return select;
});
const verdict = make("p", "", {className: "verdict"});
verdict.setAttribute("role", "status");
const body = one("#explained tbody"), foot = all("#explained tfoot tr");
const number = (row, value) => row.append(tipped(make("td", "", {className: "num"}), signed(value), value));
const described = (column, control) => column.levels ? column.levels[control.value] : control.value || say("missing") + ": " + shown(column.fill);
// Products are rounded from the last factor to the first, as the model's are.
const products = values => {
  const f = data.columns.flatMap((column, k) => column.levels ? column.levels.slice(1).map((_, j) => Number(values[k] === j + 1)) : [values[k]]);
  return data.terms.map(({name, factors, weight, mean}) => {
    const x = factors.reduceRight((product, j) => product === null ? f[j] : product * f[j], null);
    return {name, shown: shown(x), weight, x, mean};
  });
};
const explain = () => {
  const threshold = data.steps[at][0];
  const values = data.columns.map((column, k) => valueOf(column, controls[k]));
  controls.forEach((control, k) => control.setAttribute("aria-invalid", values[k] === null));
  const bad = data.columns.filter((_, k) => values[k] === null);
  const without = sentence => {
    verdict.textContent = sentence;
    body.replaceChildren();
    foot.forEach(row => { row.cells[1].textContent = ""; });
  };
  if (bad.length) {
    without(say("Type a number for {names}.", {names: bad.slice(0, 3).map(c => c.name).join(", ")}));
    return;
  }
  const parts = data.terms ? products(values) : data.columns.map((column, k) => {
    const weight = !column.levels ? column.weights[0] : values[k] ? column.weights[values[k] - 1] : 0;
    return {name: column.name, shown: described(column, controls[k]), weight, x: column.levels ? 1 : values[k], mean: column.mean};
  });
  if (!parts.every(part => isFinite(part.x))) {
    without(say("A product of these values is too large."));
    return;
  }
  const pairs = parts.map(part => [part.weight, part.x]);
  const [m, e] = exactly([...pairs, [-threshold, 1]]);
  const sum = rounded(exactly([...pairs, [0, 0]]));
  const figures = {sum: shown(sum), threshold: shown(threshold), score: signed(rounded([m, e]))};
  const why = m > 0n ? ". The points add up to {sum}, more than the threshold {threshold}; the score is {score}."
    : ". The points add up to {sum}, not more than the threshold {threshold}; the score is {score}.";
  verdict.replaceChildren(say("Answer: "), make("strong", said(m > 0n), {className: m > 0n ? "yes" : "no"}), say(why, figures));
  const beside = part => part.weight * part.x - part.mean;
  parts.sort((a, b) => Math.abs(beside(b)) - Math.abs(beside(a)));
  body.replaceChildren(...parts.slice(0, 40).map(part => {
    const row = make("tr");
    row.append(make("th", part.name, {scope: "row"}), make("td", part.shown));
    number(row, part.weight * part.x);
    number(row, beside(part));
    return row;
  }));
  const sums = [[sum, say("sum")], [rounded([m, e]), say("sum less the threshold") + " " + shown(threshold)]];
  sums.forEach(([value, text], k) => { foot[k].cells[0].textContent = text; tipped(foot[k].cells[1], (k ? signed : shown)(value), value); });
};
if (data.columns.length) {
  const form = make("form", "", {className: "try", autocomplete: "off"});
  form.append(make("h3", say("Change a value, or type a row of your own")));
  const grid = make("div", "", {className: "fields"});
  data.columns.forEach((column, k) => grid.append(labelled(column.name, controls[k])));
  form.append(grid, verdict);
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("input", () => { touched = one("#agreement").hidden = one("#nearest").hidden = true; explain(); });
  one("#explained .scroll").before(form);
}

// ---------------------------------------------------------------- the threshold
const slider = make("input", "", {type: "range", min: 0, max: data.steps.length - 1, value: at});
const [costYes, costNo] = ["wrong yes", "wrong no"].map(() => make("input", "", {type: "number", min: 0, step: "any", value: 1}));
const cost = make("output"), cheapest = make("button", say("Cheapest threshold"), {type: "button"}), back = make("button", say("Reset"), {type: "button"});
const costs = step => { const k = weighted ? 3 : 1; return (Number(costYes.value) || 0) * step[k] + (Number(costNo.value) || 0) * step[k + 1]; };
const [nNo, nYes] = data.rows, drawing = one("#scores svg");
let moved = null;
if (data.axis.length && drawing) {
  moved = document.createElementNS("http://www.w3.org/2000/svg", "line");
  const [, , , , top, bottom] = data.axis;
  [["class", "moved"], ["y1", top], ["y2", bottom]].forEach(([name, value]) => moved.setAttribute(name, value));
  drawing.append(moved);
}
const percent = (part, of) => shown(100 * part / of) + " %";
const update = () => {
  const [threshold, wrongYes, wrongNo] = data.steps[at];
  const texts = {"yes-yes": whole(nYes - wrongNo), "yes-no": whole(wrongNo), "no-yes": whole(wrongYes), "no-no": whole(nNo - wrongYes),
    "yes-right": percent(nYes - wrongNo, nYes), "no-right": percent(nNo - wrongYes, nNo), threshold: shown(threshold), mistakes: whole(wrongYes + wrongNo)};
  Object.entries(texts).forEach(([id, text]) => { document.getElementById(id).textContent = text; });
  cost.textContent = whole(Number(costs(data.steps[at]).toPrecision(6)));
  slider.value = at;
  slider.setAttribute("aria-valuetext", say("threshold {threshold}: {wrongYes} wrong yes, {wrongNo} wrong no", {threshold: shown(threshold), wrongYes, wrongNo}));
  if (moved) {
    const [low, x, high, z] = data.axis, place = x + (z - x) * Math.min(1, Math.max(0, (threshold - low) / (high - low)));
    moved.setAttribute("x1", place);
    moved.setAttribute("x2", place);
    moved.setAttribute("visibility", at === original ? "hidden" : "visible");
  }
  if (data.columns.length && touched) explain();
};
const go = k => { at = Number(k); touched = true; update(); };
slider.addEventListener("input", () => go(slider.value));
back.addEventListener("click", () => go(original));
cheapest.addEventListener("click", () => go(data.steps.reduce((best, step, k) => costs(step) < costs(data.steps[best]) ? k : best, original)));
[costYes, costNo].forEach(input => input.addEventListener("input", update));
const panel = make("div", "", {className: "controls"}), price = make("p", "", {className: "costing"});
price.append(labelled(say("Cost of a wrong yes"), costYes), labelled(say("a wrong no"), costNo), labelled(say("all mistakes"), cost));
const acts = make("p");
acts.append(cheapest, back);
panel.append(labelled(say("Move the threshold"), slider), price, acts);
one("#outcomes .pair").lastElementChild.append(panel);
update();
})();
