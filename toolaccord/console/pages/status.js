// The page of the running server: its readiness, calls, errors, caches and sources, every two seconds.

import { element } from "../../views/elements.js";
import { pause } from "../call/calls.js";
import { fill } from "../parts/dom.js";
import { showFault } from "../parts/faults.js";
import { Sparkline } from "../parts/sparkline.js";
import { scrollable } from "../parts/table.js";
import { durationText, sizeText } from "../parts/values.js";
import { Rejected, reach, Unreachable } from "../protocol/connection.js";
import { buckets, parseMetrics, quantile, select, since, total } from "../protocol/metrics.js";
import { SourceTable } from "./status_sources.js";

const INTERVAL_MS = 2000;
const LENGTH = 61;
const KEPT_MS = INTERVAL_MS * (LENGTH - 1);
const NOTE = "Latency of the last two minutes, or since the start where no call came.";
const HISTOGRAM = "mcp_tool_duration_seconds";

/** @typedef {{time: number, samples: import("../protocol/metrics.js").Samples}} State */

/** @param {import("../main.js").App} app */
export function makeStatusPage(app) {
  /** @type {State[]} */
  const states = [];
  return {
    forget: () => {
      states.length = 0;
    },
    /** @param {Element} main @param {string} _ @param {AbortSignal} signal ends with the page */
    show: async (main, _, signal) => {
      const board = new Board();
      fill(main, board.element);
      poll(app, states, board, signal);
    },
  };
}

/** Reads the state as long as the page is seen. @param {import("../main.js").App} app @param {State[]} states @param {Board} board @param {AbortSignal} signal */
async function poll(app, states, board, signal) {
  while (!signal.aborted) {
    try {
      if (document.hidden) {
        await becomeVisible(signal);
      }
      await read(app, states, board, signal);
      await pause(INTERVAL_MS, signal);
    } catch (error) {
      if (signal.aborted || !board.showFault(error)) {
        return;
      }
      await pause(INTERVAL_MS, signal).catch(() => {});
    }
  }
}

/** @param {AbortSignal} signal @returns {Promise<void>} */
function becomeVisible(signal) {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (!document.hidden) {
        document.removeEventListener("visibilitychange", look);
        resolve();
      }
    };
    document.addEventListener("visibilitychange", look, { signal });
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    look();
  });
}

/** @param {import("../main.js").App} app @param {State[]} states @param {Board} board @param {AbortSignal} signal */
async function read(app, states, board, signal) {
  const [ready, metrics] = await Promise.all([
    app.connection.fetch("ready", { signal }),
    app.connection.text("metrics", signal),
  ]);
  signal.throwIfAborted();
  keep(states, { time: performance.now(), samples: parseMetrics(metrics) });
  board.show(await readReady(ready), states);
}

/** Reads the readiness. A proxy answers in HTML for a server that is gone. @param {Response} response */
async function readReady(response) {
  if (!response.headers.get("content-type")?.startsWith("application/json")) {
    throw new Rejected(Math.max(response.status, 502), "Something before the server answered for it.");
  }
  return reach(response.json());
}

/** Adds a state, and drops those of more than two minutes before. @param {State[]} states @param {State} state */
export function keep(states, state) {
  states.push(state);
  const first = states.findIndex(({ time }) => time >= state.time - KEPT_MS);
  states.splice(0, Math.max(first, states.length - LENGTH));
}

/** The figures of the page, whose elements stay while their texts change. */
class Board {
  #fault = element("div");
  #cards = element("dl", { class: "figures live" });
  #tools = new ToolTable();
  #sources = new SourceTable();
  #errors = element("ul", { class: "errors" });

  #note = element("p", { class: "note" }, "Reads the state.");
  #figures = element("div", { hidden: true });

  constructor() {
    const note = element("p", { class: "note" }, NOTE);
    fill(
      this.#figures,
      this.#cards,
      element("section", { class: "card" }, element("h2", {}, "Calls"), note, this.#tools.element),
      element("section", { class: "card" }, element("h2", {}, "Sources"), this.#sources.element),
      element("section", { class: "card" }, element("h2", {}, "Errors by code"), this.#errors),
    );
    const title = element("h1", { tabindex: -1 }, "Status");
    this.element = element("article", { class: "detail alone" }, title, this.#fault, this.#note, this.#figures);
  }

  /** @param {any} error @returns {boolean} whether to go on */
  showFault(error) {
    fill(this.#fault, showFault(error));
    this.#note.hidden = true;
    return error instanceof Unreachable || error.status >= 500;
  }

  /** @param {any} ready @param {State[]} states */
  show(ready, states) {
    const { samples } = /** @type {State} */ (states.at(-1));
    fill(this.#fault);
    this.#note.hidden = true;
    this.#figures.hidden = false;
    showFigures(this.#cards, listFigures(ready, samples));
    this.#tools.show(states);
    this.#sources.show(ready, samples);
    fill(this.#errors, listErrors(samples));
  }
}

/** @param {any} ready @param {import("../protocol/metrics.js").Samples} samples @returns {[string, string][]} */
function listFigures(ready, samples) {
  const optional = (/** @type {string} */ name, /** @type {string} */ label) =>
    samples.has(name) ? [[label, String(total(samples, name))]] : [];
  const { wanted, accepting } = ready.workers ?? {};
  return /** @type {[string, string][]} */ ([
    ["state", ready.status],
    ...(wanted ? [["workers", `${accepting} of ${wanted}`]] : []),
    ["in flight", String(total(samples, "mcp_calls_in_flight"))],
    ["calls", String(total(samples, `${HISTOGRAM}_count`))],
    ["errors", String(total(samples, "mcp_errors_total"))],
    ...optional("mcp_sessions", "sessions"),
    ...optional("mcp_subscribers", "listeners"),
    ["cache", sizeText(total(samples, "mcp_cache_bytes"))],
    ["evicted", String(total(samples, "mcp_cache_evictions_total"))],
    ...optional("mcp_tasks_running", "tasks running"),
    ...optional("mcp_tasks_waiting", "tasks waiting"),
    ...optional("mcp_overload_rejections_total", "overload"),
    ...optional("mcp_deprecated_calls_total", "deprecated calls"),
  ]);
}

/** @param {Element} list @param {[string, string][]} figures */
function showFigures(list, figures) {
  const known = [...list.children].map((pair) => pair.firstChild?.textContent);
  if (known.join() !== figures.map(([name]) => name).join()) {
    fill(
      list,
      figures.map(([name]) => element("div", {}, element("dt", {}, name), element("dd"))),
    );
  }
  figures.forEach(([name, text], index) => {
    const value = /** @type {HTMLElement} */ (list.children[index].lastChild);
    value.textContent = text;
    value.className = name === "state" ? (text === "ready" ? "good" : "bad") : "";
  });
}

/** @param {import("../protocol/metrics.js").Samples} samples */
function listErrors(samples) {
  const counted = select(samples, "mcp_errors_total").filter(({ value }) => value > 0);
  counted.sort((one, other) => other.value - one.value);
  const items = counted.map(({ labels, value }) =>
    element("li", {}, element("code", {}, labels.error_code), ` ${value} of `, nameOperation(labels.tool)),
  );
  return items.length > 0 ? items : element("li", { class: "note" }, "None since the start.");
}

/** Leads to a tool. Other operations have the name of their method, and a space. @param {string} name */
function nameOperation(name) {
  const isTool = !name.includes(" ");
  return isTool ? element("a", { href: `#/tools/${encodeURIComponent(name)}` }, name) : name;
}

const COLUMNS = ["Tool", "Calls", "A minute", "p50", "p95", "Errors", "From cache", "In flight", "Calls, 2 min"];

/** Calls by tool. */
class ToolTable {
  #body = element("tbody");
  /** @type {Map<string, {cells: HTMLElement[], curve: Sparkline}>} */
  #rows = new Map();

  constructor() {
    const heads = COLUMNS.map((name, index) =>
      element("th", { scope: "col", class: index > 0 && index < COLUMNS.length - 1 ? "number" : "" }, name),
    );
    this.element = scrollable(
      "Calls by tool",
      element("table", {}, element("thead", {}, element("tr", {}, heads)), this.#body),
    );
  }

  /** @param {State[]} states */
  show(states) {
    const { samples } = /** @type {State} */ (states.at(-1));
    for (const tool of new Set(select(samples, `${HISTOGRAM}_count`).map(({ labels }) => labels.tool))) {
      const { cells, curve } = this.#rows.get(tool) ?? this.#add(tool);
      describeTool(states, tool).forEach((text, index) => {
        cells[index].textContent = text;
      });
      curve.draw(ratesOf(states, tool));
    }
  }

  /** @param {string} tool */
  #add(tool) {
    const curve = new Sparkline(LENGTH - 1);
    const cells = COLUMNS.slice(1, -1).map(() => element("td", { class: "number" }));
    this.#body.append(
      element("tr", {}, element("th", { scope: "row" }, nameOperation(tool)), cells, element("td", {}, curve.element)),
    );
    const row = { cells, curve };
    this.#rows.set(tool, row);
    return row;
  }
}

/** The texts of a row after the name. @param {State[]} states @param {string} tool */
function describeTool(states, tool) {
  const labels = { tool };
  const [first, last] = [states[0], /** @type {State} */ (states.at(-1))];
  const [before, after] = [first, last].map(({ samples }) => buckets(samples, HISTOGRAM, labels));
  const recent = since(before, after);
  const latest = (recent.at(-1)?.[1] ?? 0) > 0 ? recent : after;
  const minutes = (last.time - first.time) / 60_000;
  const hits = total(last.samples, "mcp_cache_hits_total", labels);
  const lookups = hits + total(last.samples, "mcp_cache_misses_total", labels);
  return [
    String(after.at(-1)?.[1] ?? 0),
    minutes > 0 ? String(Math.round((recent.at(-1)?.[1] ?? 0) / minutes)) : "–",
    durationText(quantile(0.5, latest)),
    durationText(quantile(0.95, latest)),
    String(total(last.samples, "mcp_errors_total", labels)),
    lookups > 0 ? `${Math.round((100 * hits) / lookups)} %` : "–",
    String(total(last.samples, "mcp_calls_in_flight", labels)),
  ];
}

/** Calls between states. @param {State[]} states @param {string} tool */
function ratesOf(states, tool) {
  const counts = states.map(({ samples }) => total(samples, `${HISTOGRAM}_count`, { tool }));
  return counts.slice(1).map((count, index) => Math.max(count - counts[index], 0));
}
