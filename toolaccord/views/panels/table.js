import { element, emptyNote, section } from "../elements.js";
import { Grid } from "../grid.js";
import { rowsAt, valueAt } from "../pointers.js";

/** A table with sorting, and with paging through the host. */
export class TablePanel {
  /**
   * @param {{kind: string, title?: string, columns: Column[]}} panel
   * @param {Page} page
   */
  constructor(panel, page) {
    this.panel = panel;
    this.page = page;
    this.grid = new Grid(panel.columns, panel.title ?? page.view.title, page);
    this.empty = emptyNote();
    this.pager = page.view.paging ? new Pager(page) : null;
    this.element = section(panel, this.empty, this.grid.element, ...(this.pager ? [this.pager.element] : []));
  }

  /** @param {unknown} result */
  update(result) {
    const rows = rowsAt(this.panel.columns, result);
    this.empty.hidden = rows.length > 0;
    this.grid.element.hidden = rows.length === 0;
    this.grid.update(rows);
    this.pager?.update(result, rows.length);
  }
}

/** The buttons that ask the host for other pages of a result. */
class Pager {
  #offset = 0;
  #count = 0;
  /** @type {number | null} */
  #limit = null;

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.paging = page.view.paging;
    this.previous = element("button", { type: "button", onclick: () => this.#go(-1) }, "Previous");
    this.next = element("button", { type: "button", onclick: () => this.#go(1) }, "Next");
    this.position = element("span", { role: "status" });
    this.element = element("nav", { class: "pager", "aria-label": "Pages" }, this.previous, this.position, this.next);
  }

  /**
   * @param {unknown} result
   * @param {number} count
   */
  update(result, count) {
    const { limit, offset, total } = this.paging;
    this.#offset = Number(this.page.input[offset] ?? 0);
    this.#limit = Number(this.page.input[limit] ?? this.#limit ?? count) || null;
    this.#count = count;
    const all = total ? valueAt(total, result) : null;
    const end = this.#offset + count;
    this.position.textContent = positionText(this.#offset, end, all, this.page.format);
    setEnabled(this.previous, this.#offset > 0);
    setEnabled(this.next, count > 0 && (typeof all === "number" ? end < all : count >= (this.#limit ?? count)));
  }

  /** @param {1 | -1} direction */
  async #go(direction) {
    if (this.element.hasAttribute("aria-busy")) {
      return;
    }
    const { limit, offset } = this.paging;
    const size = this.#limit ?? this.#count;
    const start = Math.max(0, this.#offset + direction * (direction === 1 ? this.#count : size));
    await this.#call({ ...this.page.input, [limit]: size, [offset]: start });
    this.#keepFocus();
  }

  /** @param {Record<string, unknown>} input */
  async #call(input) {
    this.element.setAttribute("aria-busy", "true");
    try {
      this.position.textContent = (await this.page.call(input)) ?? this.position.textContent;
    } finally {
      this.element.removeAttribute("aria-busy");
    }
  }

  /** Moves the focus from a button that has just been disabled to the other one. */
  #keepFocus() {
    const [previous, next] = /** @type {HTMLButtonElement[]} */ ([this.previous, this.next]);
    if (document.activeElement === document.body || document.activeElement?.matches(":disabled")) {
      (next.disabled ? previous : next).focus({ preventScroll: true });
    }
  }
}

/**
 * @param {HTMLElement} button
 * @param {boolean} enabled
 */
function setEnabled(button, enabled) {
  /** @type {HTMLButtonElement} */ (button).disabled = !enabled;
}

/**
 * @param {number} start
 * @param {number} end
 * @param {unknown} all
 * @param {Format} format
 */
function positionText(start, end, all, format) {
  const shown = end > start ? `${format.count(start + 1)}–${format.count(end)}` : "0";
  return typeof all === "number" ? `${shown} of ${format.count(all)}` : shown;
}
