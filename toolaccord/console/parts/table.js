// Tables of rows, whose readers sort them.

import { element } from "../../views/elements.js";
import { fill } from "./dom.js";
import { valueText } from "./values.js";

const FIRST_ROWS = 200;

/**
 * @typedef {object} Column
 * @property {string} label
 * @property {(row: any) => any} value
 * @property {(row: any) => any} [show] returns the content of a cell; by default the value as text
 */

/**
 * Makes a table that its reader sorts by a click on a heading.
 *
 * @param {string} caption
 * @param {Column[]} columns
 * @param {any[]} rows
 * @returns {HTMLElement}
 */
export function makeTable(caption, columns, rows) {
  const body = element("tbody");
  const state = { rows, shown: FIRST_ROWS, by: -1, step: 1 };
  const more = element("button", { type: "button", class: "quiet", onclick: () => update({ shown: rows.length }) });
  const heads = columns.map((column, index) =>
    element(
      "th",
      { scope: "col", class: kindOf(column, rows) },
      element("button", { type: "button", onclick: () => sort(index) }, column.label),
    ),
  );
  const sort = (/** @type {number} */ index) => {
    const step = state.by === index ? -state.step : 1;
    update({ by: index, step, rows: sorted(rows, columns[index].value, step) });
    for (const [each, head] of heads.entries()) {
      setOrder(head, each === index ? step : 0);
    }
  };
  const update = (/** @type {Partial<typeof state>} */ changes) => {
    Object.assign(state, changes);
    fill(
      body,
      state.rows.slice(0, state.shown).map((row) => makeRow(columns, row)),
    );
    more.hidden = state.shown >= rows.length;
    fill(more, `Show all ${rows.length} rows`);
  };
  update({});
  const table = element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, heads)),
    body,
  );
  return element("div", { class: "table" }, scrollable(caption, table), more);
}

/** Lets readers scroll something wide, also by keys. @param {string} label @param {HTMLElement} content */
export function scrollable(label, content) {
  return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, content);
}

/** Numbers stand at the right, and their heading above them. @param {Column} column @param {any[]} rows */
function kindOf(column, rows) {
  const values = rows.slice(0, FIRST_ROWS).map(column.value);
  return values.some((value) => typeof value === "number") ? "number" : "";
}

/** @param {Column[]} columns @param {any} row */
function makeRow(columns, row) {
  return element(
    "tr",
    {},
    columns.map((column) => makeCell(column, row)),
  );
}

/** @param {Column} column @param {any} row */
function makeCell(column, row) {
  const value = column.value(row);
  const content = column.show ? column.show(row) : value === undefined ? "" : valueText(value);
  return element("td", { class: typeof value === "number" ? "number" : "" }, content);
}

/** @param {HTMLElement} head @param {number} step */
function setOrder(head, step) {
  if (step === 0) {
    head.removeAttribute("aria-sort");
  } else {
    head.setAttribute("aria-sort", step > 0 ? "ascending" : "descending");
  }
}

/** @param {any[]} rows @param {(row: any) => any} value @param {number} step */
function sorted(rows, value, step) {
  return rows.toSorted((one, other) => step * compare(value(one), value(other)));
}

/** @param {any} one @param {any} other */
function compare(one, other) {
  if (typeof one === "number" && typeof other === "number") {
    return one - other;
  }
  return valueText(one ?? "").localeCompare(valueText(other ?? ""), undefined, { numeric: true });
}
