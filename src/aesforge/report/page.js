// SPDX-License-Identifier: Apache-2.0
// The page's own script: filters, the chart's data, the order of the table, the details.
"use strict";

const byId = (id) => document.getElementById(id);
const all = (selector) => [...document.querySelectorAll(selector)];
const data = JSON.parse(byId("data").textContent);
const specs = JSON.parse(byId("specs").textContent);
const files = JSON.parse(byId("exports").textContent);
const records = new Map(data.map((one) => [one.key, one]));
const rows = all("#table tbody tr");
const narrow = matchMedia("(max-width: 720px)");
// The places of the charts, by what each draws against look-up tables; the second may be missing.
const places = { throughput_gbps: "chart", bits_per_level: "levels" };
const focused = {}; // the point of each chart that the keyboard was at last
const views = {}; // the charts, each promised once there is something to draw

// --- Filters ------------------------------------------------------------------------------------

// Within a group any of the chosen values will do; a group without a choice lets all through.
function passing() {
  const chosen = {};
  for (const box of all("#choices input:checked")) (chosen[box.name] ??= new Set()).add(box.value);
  const least = byId("least").valueAsNumber;
  const most = byId("most").valueAsNumber;
  const bounds = !Number.isNaN(least) + !Number.isNaN(most);
  const active = Object.keys(chosen).length + bounds;
  byId("active").textContent = active ? `(${active} in use)` : "";
  return data.filter(
    (one) =>
      Object.entries(chosen).every(([field, values]) => values.has(one.facets[field])) &&
      (Number.isNaN(least) || (one.throughput_gbps ?? -1) >= least) &&
      (Number.isNaN(most) || one.luts <= most),
  );
}

// What is drawn against look-up tables: the rule of `rate_of` in table.py.
const rate = (one) => (one.kind === "synthesized" ? one.bits_per_level : one.throughput_gbps);

// The keys on the Pareto fronts: the rule of `pareto` in table.py.
function front(shown) {
  const keys = new Set();
  const best = {};
  const points = shown.filter((one) => rate(one) !== null);
  points.sort((a, b) => a.luts - b.luts || rate(b) - rate(a));
  for (const one of points) {
    const group = JSON.stringify([one.device, one.subject, one.kind]);
    const last = best[group];
    const ties = last && one.luts === last.luts && rate(one) === rate(last);
    if (!last || ties || rate(one) > rate(last)) {
      best[group] = one;
      keys.add(one.key);
    }
  }
  return keys;
}

function update() {
  const shown = passing();
  const visible = new Set(shown.map((one) => one.key));
  const best = front(shown);
  for (const row of rows) {
    row.hidden = !visible.has(row.dataset.key);
    row.classList.toggle("front", best.has(row.dataset.key));
  }
  byId("count").textContent = `${shown.length} of ${data.length} measurements`;
  for (const [field, place] of Object.entries(places)) {
    if (!byId(place)) continue;
    const points = shown.filter((one) => one.chart === field);
    byId(place).hidden = points.length === 0;
    byId(`${place}-empty`).hidden = points.length !== 0;
    if (!points.length) continue; // an axis needs something to span: the chart waits, out of sight
    // Vega marks what it is given, hence the copies. Those on the front lie on top.
    const copies = points.map((one) => ({ ...one, front: best.has(one.key) }));
    draw(field, place, copies.sort((a, b) => a.front - b.front));
  }
}

// --- Chart --------------------------------------------------------------------------------------

const options = {
  mode: "vega-lite",
  actions: false,
  renderer: "svg",
  tooltip: { disableDefaultStyle: true },
};

// The papers' figures, once each: no filter changes them.
async function drawPapers() {
  const drawings = JSON.parse(byId("drawings").textContent);
  for (const place of all("[data-drawing]")) {
    try {
      await vegaEmbed(place, drawings[place.dataset.drawing], options);
    } catch (error) {
      place.textContent = `The chart could not be drawn: ${error.message}`;
      console.error(error);
    }
  }
}

async function draw(field, place, points) {
  try {
    if (!views[place]) {
      const spec = { ...specs[field], datasets: { points, labels: blank(points) } };
      if (narrow.matches) spec.height = 320;
      views[place] = vegaEmbed(byId(place), spec, options).then(async ({ view }) => {
        view.addEventListener("click", (event, item) => item?.datum?.key && open(item.datum.key));
        view.addResizeListener(() => finish(view, field, place));
        await finish(view, field, place);
        return view;
      });
      await views[place];
      return;
    }
    const view = await views[place];
    view.data("points", points).data("labels", blank(points)).resize();
    await finish(view, field, place);
  } catch (error) {
    byId(place).textContent = `The chart could not be drawn: ${error.message}`;
    console.error(error);
  }
}

// Names beside the points need the drawing's scales, and the keyboard its elements.
async function finish(view, field, place) {
  await view.runAsync();
  view.data("labels", names(view, field));
  await view.runAsync();
  const found = marks(place);
  const last = found.find((one) => one.__data__.datum.key === focused[place]) ?? found[0];
  for (const one of found) {
    one.setAttribute("tabindex", one === last ? 0 : -1); // Tab leads to one, arrow keys on
    one.setAttribute("role", "button");
  }
}

// No name, which keeps the axes within the points: nothing would span nothing.
const blank = (points) => [{ ...points[0], label: "", dx: 0, dy: 0 }];

// A front's points with room for their names beside them, the fastest first.
function names(view, field) {
  const [x, y] = [view.scale("x"), view.scale("y")];
  const points = view.data("points");
  const taken = points.map((one) => {
    const [px, py] = [x(one.luts), y(one[field])];
    return [px - 5, py - 5, px + 5, py + 5];
  });
  const placed = blank(points);
  const best = points.filter((one) => one.front);
  for (const one of best.sort((a, b) => b[field] - a[field])) {
    const width = 6.1 * one.label.length;
    for (const [dx, dy] of [[9, -11], [9, 11], [-9 - width, -11], [-9 - width, 11]]) {
      const [left, top] = [x(one.luts) + dx, y(one[field]) + dy - 7];
      const box = [left, top, left + width, top + 14];
      const inside = left > 0 && top > 0 && box[2] < view.width() && box[3] < view.height();
      const meets = (b) => left < b[2] && b[0] < box[2] && top < b[3] && b[1] < box[3];
      if (!inside || taken.some(meets)) continue;
      taken.push(box);
      placed.push({ luts: one.luts, [field]: one[field], label: one.label, dx, dy });
      break;
    }
  }
  return placed;
}

// The points of a chart from left to right, then upwards.
function marks(place) {
  const value = (one) => one.__data__.datum;
  return all(`#${place} .mark-symbol path`).sort(
    (a, b) => value(a).luts - value(b).luts || rate(value(a)) - rate(value(b)),
  );
}

function walk(event, place) {
  const found = marks(place);
  const at = found.indexOf(event.target);
  if (at < 0) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    open(event.target.__data__.datum.key);
    return;
  }
  const to = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, Home: 0, End: -1 };
  if (!(event.key in to)) return;
  event.preventDefault();
  found[at].setAttribute("tabindex", -1);
  const next = found.at(Math.min(to[event.key], found.length - 1));
  next.setAttribute("tabindex", 0);
  next.focus();
}

// --- Table --------------------------------------------------------------------------------------

function sort(field, direction) {
  const sign = direction === "ascending" ? 1 : -1;
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number"
      ? a - b
      : String(a).localeCompare(String(b), "en", { numeric: true });
  const value = (row) => records.get(row.dataset.key)[field];
  rows.sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    // What is not known stands last in either direction.
    return x === null || y === null ? (x === null) - (y === null) : sign * compare(x, y);
  });
  document.querySelector("#table tbody").append(...rows);
  for (const head of all("#table thead th")) head.removeAttribute("aria-sort");
  const head = document.querySelector(`#table thead [data-field="${field}"]`).closest("th");
  head.setAttribute("aria-sort", direction);
}

// --- Files --------------------------------------------------------------------------------------

// The rows shown, in their order; the lines were made with the page.
function save(kind) {
  const { head, lines, tail } = files[kind];
  const shown = rows.filter((row) => !row.hidden).map((row) => lines[row.dataset.key]);
  const link = document.createElement("a");
  const type = kind === "csv" ? "text/csv" : "application/x-tex";
  link.href = `data:${type};charset=utf-8,${encodeURIComponent([head, ...shown, tail].join(""))}`;
  link.download = `measurements.${kind}`;
  link.click();
}

// --- Details ------------------------------------------------------------------------------------

function open(key) {
  const template = all("template").find((one) => one.dataset.key === key);
  if (!template) return;
  byId("content").replaceChildren(template.content.cloneNode(true));
  if (!byId("dialog").open) byId("dialog").showModal();
  byId("dialog").scrollTop = 0;
  history.replaceState(null, "", `#${encodeURIComponent(key)}`); // a link to this measurement
}

async function copy(button) {
  const code = button.parentElement.querySelector("code");
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(code); // not allowed to: leave the keys to the reader
    button.textContent = "Press Ctrl+C";
  }
}

// --- What happens when --------------------------------------------------------------------------

byId("theme").addEventListener("click", () => {
  const theme = document.documentElement.dataset.theme;
  const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
});
byId("choices").addEventListener("input", update);
byId("choices").addEventListener("submit", (event) => event.preventDefault());
byId("choices").addEventListener("reset", () => setTimeout(update)); // once it is empty
document.querySelector("#table thead").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const now = button.closest("th").getAttribute("aria-sort");
  const first = typeof data.find((one) => one[button.dataset.field] !== null)?.[button.dataset.field];
  if (now) sort(button.dataset.field, now === "ascending" ? "descending" : "ascending");
  else sort(button.dataset.field, first === "number" ? "descending" : "ascending");
});
document.querySelector("#table tbody").addEventListener("click", (event) => {
  const row = event.target.closest("tr");
  if (row) open(row.dataset.key);
});
for (const button of all("[data-export]")) {
  button.addEventListener("click", () => save(button.dataset.export));
}
for (const place of Object.values(places).filter(byId)) {
  byId(place).addEventListener("keydown", (event) => walk(event, place));
  byId(place).addEventListener("focusin", (event) => {
    const one = event.target.__data__?.datum;
    byId(`${place}-focus`).textContent = one?.description ?? "\u00a0";
    focused[place] = one?.key;
  });
  byId(place).addEventListener("focusout", () => (byId(`${place}-focus`).textContent = "\u00a0"));
}
byId("close").addEventListener("click", () => byId("dialog").close());
byId("dialog").addEventListener("click", (event) => {
  if (event.target === byId("dialog")) byId("dialog").close(); // beside it
  if (event.target.matches(".copy")) copy(event.target);
});
byId("dialog").addEventListener("close", () =>
  history.replaceState(null, "", location.pathname + location.search),
);

byId("filters").open = !narrow.matches;
sort("throughput_gbps", "descending");
update();
drawPapers();
if (location.hash) open(decodeURIComponent(location.hash.slice(1)));
