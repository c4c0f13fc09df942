import { element } from "./elements.js";
import { isNumber, labelOf, millisecondsOf, numberOf } from "./format.js";
import { linkedText } from "./links.js";
import { writersOf } from "./pointers.js";

const ROWS_AT_ONCE = 100;
const SHORT_TEXT = 24;

/** A table of rows that its reader sorts. It adds rows as they scroll into sight. */
export class Grid {
  #rows = [];
  #sorted = [];
  /** @type {{column: number, direction: 1 | -1} | null} */
  #order = null;
  #writers = [];

  /**
   * @param {Column[]} columns
   * @param {string} label
   * @param {Page} page
   */
  constructor(columns, label, page) {
    this.page = page;
    this.columns = columns;
    this.headers = columns.map((column, index) => this.#header(column, index));
    this.body = element("tbody");
    this.table = element("table", {}, element("thead", {}, element("tr", {}, ...this.headers)), this.body);
    this.element = element("div", { class: "grid", role: "region", "aria-label": label, tabindex: 0 }, this.table);
    this.element.addEventListener("scroll", () => this.#fill());
  }

  /** @param {unknown[][]} rows */
  update(rows) {
    this.#rows = rows;
    this.#writers = writersOf(this.columns, rows, this.page.format);
    this.table.setAttribute("aria-rowcount", String(rows.length + 1));
    this.#sort();
  }

  /**
   * @param {Column} column
   * @param {number} index
   */
  #header(column, index) {
    const button = element("button", { type: "button", onclick: () => this.#toggle(index) }, labelOf(column));
    return element("th", { scope: "col", class: cellClass(column), title: column.description }, button);
  }

  /** @param {number} column */
  #toggle(column) {
    const again = this.#order?.column === column;
    this.#order = { column, direction: again && this.#order?.direction === 1 ? -1 : 1 };
    this.#sort();
  }

  #sort() {
    const order = this.#order;
    this.#sorted = order ? this.#sortRows(order) : this.#rows;
    for (const [index, header] of this.headers.entries()) {
      if (order?.column === index) {
        header.setAttribute("aria-sort", order.direction === 1 ? "ascending" : "descending");
      } else {
        header.removeAttribute("aria-sort");
      }
    }
    this.body.replaceChildren();
    this.element.scrollTop = 0;
    this.#append();
  }

  /** @param {{column: number, direction: 1 | -1}} order */
  #sortRows({ column, direction }) {
    const { format } = this.columns[column];
    const collator = new Intl.Collator(this.page.format.locale, { numeric: true });
    const compare = format === "text" ? collator.compare : compareValues;
    const read = keyReader(this.columns[column]);
    return sortedRows(
      this.#rows,
      (row) => read(row[column]),
      (a, b) => direction * compare(a, b),
    );
  }

  #fill() {
    const { scrollTop, clientHeight, scrollHeight } = this.element;
    if (scrollTop + 2 * clientHeight > scrollHeight) {
      this.#append();
    }
  }

  #append() {
    const start = this.body.childElementCount;
    const rows = this.#sorted.slice(start, start + ROWS_AT_ONCE);
    this.body.append(...rows.map((row, index) => this.#row(row, start + index)));
  }

  /**
   * @param {unknown[]} row
   * @param {number} index
   */
  #row(row, index) {
    const cells = row.map((value, column) => this.#cell(this.columns[column], this.#writers[column](value)));
    return element("tr", { "aria-rowindex": index + 2 }, ...cells);
  }

  /**
   * @param {Column} column
   * @param {string} text
   */
  #cell(column, text) {
    const content = linkedText(column, text, this.page);
    const isWide = column.format === "text" && text.length > SHORT_TEXT;
    return element("td", { class: cellClass(column) }, isWide ? element("div", {}, content) : content);
  }
}

/** @param {Column} column */
function cellClass(column) {
  return isNumber(column) ? "number" : "word";
}

/**
 * Returns the function that reads what values of a column are sorted by: numbers and moments may stand in texts.
 *
 * @param {Column} column
 * @returns {(value: unknown) => unknown} null for a value that nobody can read
 */
function keyReader(column) {
  if (isNumber(column)) {
    return numberOf;
  }
  return column.format === "date" || column.format === "date-time" ? millisecondsOf : (value) => value;
}

/**
 * Returns the rows in the order of their keys; rows without one come last.
 *
 * @param {unknown[][]} rows
 * @param {(row: unknown[]) => unknown} keyOf
 * @param {(a: any, b: any) => number} compare
 */
function sortedRows(rows, keyOf, compare) {
  return rows
    .map((row) => ({ row, key: keyOf(row) }))
    .sort(({ key: a }, { key: b }) =>
      a === null || b === null ? Number(a === null) - Number(b === null) : compare(a, b),
    )
    .map(({ row }) => row);
}

/**
 * @param {any} a
 * @param {any} b
 */
function compareValues(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
