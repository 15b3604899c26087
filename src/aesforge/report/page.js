// SPDX-License-Identifier: Apache-2.0
// The page's own script: filters, the chart's data, the order of the table, the details.
"use strict";

const byId = (id) => document.getElementById(id);
const all = (selector) => [...document.querySelectorAll(selector)];
const data = JSON.parse(byId("data").textContent);
const spec = JSON.parse(byId("spec").textContent);
const records = new Map(data.map((one) => [one.key, one]));
const rows = all("#table tbody tr");
const narrow = matchMedia("(max-width: 720px)");
let view = null; // the chart, promised once there is something to draw

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

// The keys on each device's Pareto front: the rule of `pareto` in table.py.
function front(shown) {
  const keys = new Set();
  const best = {};
  const points = shown.filter((one) => one.throughput_gbps !== null);
  points.sort((a, b) => a.luts - b.luts || b.throughput_gbps - a.throughput_gbps);
  for (const one of points) {
    const last = best[one.device];
    const ties = last && one.luts === last.luts && one.throughput_gbps === last.throughput_gbps;
    if (!last || ties || one.throughput_gbps > last.throughput_gbps) {
      best[one.device] = one;
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
  const points = shown.filter((one) => one.charted);
  byId("chart").hidden = points.length === 0;
  byId("empty").hidden = points.length !== 0;
  if (!points.length) return; // an axis needs something to span: the chart waits, out of sight
  // Vega marks what it is given, hence the copies. Those on the front lie on top.
  const copies = points.map((one) => ({ ...one, front: best.has(one.key) }));
  draw(copies.sort((a, b) => a.front - b.front));
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

async function draw(points) {
  if (view) {
    (await view).data("points", points).resize().runAsync();
    return;
  }
  spec.datasets = { points };
  if (narrow.matches) spec.height = 320;
  view = vegaEmbed("#chart", spec, options).then((drawn) => drawn.view);
  try {
    (await view).addEventListener("click", (event, item) => item?.datum?.key && open(item.datum.key));
  } catch (error) {
    byId("chart").textContent = `The chart could not be drawn: ${error.message}`;
    console.error(error);
  }
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
