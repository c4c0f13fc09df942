// The state of each source: whether it answers, its circuit breaker, and its connections.

import { element } from "../../views/elements.js";
import { fill } from "../parts/dom.js";
import { scrollable } from "../parts/table.js";
import { select, total } from "../protocol/metrics.js";

const COLUMNS = ["Source", "State", "Circuit", "In use", "Idle", "Limit", "Failures", "Reason"];
const NUMBERS = new Set(["In use", "Idle", "Limit", "Failures"]);

export class SourceTable {
  #body = element("tbody");

  constructor() {
    const heads = COLUMNS.map((name) =>
      element("th", { scope: "col", class: NUMBERS.has(name) ? "number" : "" }, name),
    );
    this.element = scrollable(
      "Sources",
      element("table", {}, element("thead", {}, element("tr", {}, heads)), this.#body),
    );
  }

  /** @param {any} ready @param {import("../protocol/metrics.js").Samples} samples */
  show(ready, samples) {
    const sources = Object.entries(ready.sources ?? {});
    fill(
      this.#body,
      sources.map(([name, state]) => makeRow(name, state, ready.reasons?.[name] ?? "", samples)),
    );
  }
}

/** @param {string} source @param {string} state @param {string} reason @param {import("../protocol/metrics.js").Samples} samples */
function makeRow(source, state, reason, samples) {
  const circuit =
    select(samples, "mcp_source_circuit", { source }).find(({ value }) => value === 1)?.labels.state ?? "–";
  const pool = ["in_use", "idle", "limit"].map((each) => {
    const found = select(samples, "mcp_pool_connections", { source, state: each });
    return element("td", { class: "number" }, found.length > 0 ? String(found[0].value) : "–");
  });
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, source),
    element("td", { class: state === "ok" ? "good" : "bad" }, state),
    element("td", {}, circuit),
    pool,
    element("td", { class: "number" }, String(total(samples, "mcp_source_failures_total", { source }))),
    element("td", {}, reason),
  );
}
