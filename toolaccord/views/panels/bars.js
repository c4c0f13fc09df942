import { element, emptyNote, section } from "../elements.js";
import { labelOf, numberOf } from "../format.js";
import { rowsAt, writersOf } from "../pointers.js";

const BARS_AT_ONCE = 50;

/** Bars of one or more values for each item, as a table whose cells hold bars. */
export class BarsPanel {
  #rows = [];

  /**
   * @param {{kind: string, title?: string, label: Column, values: Column[]}} panel
   * @param {Page} page
   */
  constructor(panel, page) {
    this.panel = panel;
    this.page = page;
    this.empty = emptyNote();
    this.body = element("tbody");
    const headers = [panel.label, ...panel.values].map((column) => element("th", { scope: "col" }, labelOf(column)));
    this.table = element("table", {}, element("thead", {}, element("tr", {}, ...headers)), this.body);
    this.more = element("button", { type: "button", onclick: () => this.#append(this.#rows.length) });
    this.element = section(panel, this.empty, this.table, this.more);
  }

  /** @param {unknown} result */
  update(result) {
    const { label, values } = this.panel;
    const rows = rowsAt([label, ...values], result);
    this.#rows = rows;
    this.empty.hidden = rows.length > 0;
    this.table.hidden = rows.length === 0;
    this.extents = values.map((_, index) => extentOf(rows.map((row) => numberOf(row[index + 1]))));
    this.writers = writersOf([label, ...values], rows, this.page.format);
    this.body.replaceChildren();
    this.#append(BARS_AT_ONCE);
  }

  /** @param {number} count */
  #append(count) {
    const start = this.body.childElementCount;
    this.body.append(...this.#rows.slice(start, start + count).map((row) => this.#row(row)));
    const rest = this.#rows.length - this.body.childElementCount;
    this.more.hidden = rest === 0;
    this.more.textContent = `Show ${rest} more`;
  }

  /** @param {unknown[]} row */
  #row([label, ...values]) {
    const cells = values.map((value, index) => this.#cell(value, index));
    return element("tr", {}, element("th", { scope: "row" }, element("span", {}, this.writers[0](label))), ...cells);
  }

  /**
   * @param {unknown} value
   * @param {number} index
   */
  #cell(value, index) {
    const number = numberOf(value);
    const text = element("span", { class: "value" }, this.writers[index + 1](value));
    return element("td", {}, text, number === null ? null : barOf(number, this.extents[index]));
  }
}

/**
 * @param {(number | null)[]} values
 * @returns {{low: number, span: number}} from the lowest value or zero to the highest value or zero
 */
function extentOf(values) {
  const low = values.reduce((least, value) => Math.min(least, value ?? 0), 0);
  const high = values.reduce((most, value) => Math.max(most, value ?? 0), 0);
  return { low, span: high - low || 1 };
}

/**
 * @param {number} value
 * @param {{low: number, span: number}} extent
 * @returns {HTMLElement}
 */
function barOf(value, { low, span }) {
  const fill = element("span", { class: value < 0 ? "fill negative" : "fill" });
  fill.style.left = `${(100 * (Math.min(value, 0) - low)) / span}%`;
  fill.style.width = `${(100 * Math.abs(value)) / span}%`;
  return element("span", { class: "bar" }, fill);
}
