// Any JSON value as figures and tables.

import { element } from "../../views/elements.js";
import { makeTable } from "./table.js";
import { valueText } from "./values.js";

const MAX_COLUMNS = 40;
const SAMPLE = 200;

/** @param {any} value @returns {HTMLElement} */
export function showValue(value) {
  const found = { figures: /** @type {[string, any][]} */ ([]), lists: /** @type {[string, any[]][]} */ ([]) };
  collect(value, "", found);
  const tables = found.lists.map(([path, items]) => makeItemTable(path || "Items", items));
  const isEmpty = found.figures.length === 0 && tables.length === 0;
  return element("div", { class: "value" }, isEmpty && "An empty result.", tables, makeFigures(found.figures));
}

/** Lets a long name break where its parts end. @param {string} name */
function breakable(name) {
  return name.split(/(?<=[._])/).flatMap((part) => [element("wbr"), part]);
}

/** @param {[string, any][]} figures */
export function makeFigures(figures) {
  const pairs = figures.map(([name, value]) =>
    element("div", {}, element("dt", {}, breakable(name)), element("dd", {}, valueText(value))),
  );
  return pairs.length > 0 && element("dl", { class: "figures" }, pairs);
}

/** @param {any} value @param {string} path @param {{figures: [string, any][], lists: [string, any[]][]}} found */
function collect(value, path, found) {
  if (Array.isArray(value)) {
    found.lists.push([path, value]);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      collect(member, path ? `${path}.${name}` : name, found);
    }
  } else {
    found.figures.push([path || "value", value]);
  }
}

/** @param {string} path @param {any[]} items */
function makeItemTable(path, items) {
  const names = new Set(items.slice(0, SAMPLE).flatMap((item) => (isRecord(item) ? Object.keys(item) : [])));
  const columns = [...names]
    .slice(0, MAX_COLUMNS)
    .map((name) => ({ label: name, value: (/** @type {any} */ row) => memberOf(row, name) }));
  const caption = `${path} · ${items.length}`;
  return makeTable(caption, columns.length > 0 ? columns : [{ label: "value", value: (row) => row }], items);
}

/** @param {any} item @param {string} name */
function memberOf(item, name) {
  return isRecord(item) && Object.hasOwn(item, name) ? item[name] : undefined;
}

/** @param {any} item */
function isRecord(item) {
  return typeof item === "object" && item !== null && !Array.isArray(item);
}
