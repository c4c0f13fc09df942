/* global uPlot */
import { element, emptyNote, newId, section } from "./elements.js";
import { Grid } from "./grid.js";

const STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20, Home: -Infinity, End: Infinity };

/** A canvas of uPlot with a legend that follows the cursor, a summary, and the same data as a table. */
export class Chart {
  /** @type {any} */
  #plot = null;
  /** @type {unknown[][]} */
  #rows = [];
  #isTableStale = true;
  /** @type {(index: number) => Node[]} */
  #describe = () => [];

  /**
   * @param {{kind: string, title?: string}} panel
   * @param {Column[]} columns of the table
   * @param {Page} page
   */
  constructor(panel, columns, page) {
    const title = panel.title ?? page.view.title;
    this.page = page;
    this.empty = emptyNote();
    this.legend = element("div", { class: "legend" });
    this.summary = element("p", { class: "summary", id: newId() });
    this.reset = element("button", { type: "button", class: "reset", hidden: true, onclick: () => this.#showAll() });
    this.reset.textContent = "Show all";
    this.plot = this.#place(title);
    this.grid = new Grid(columns, title, page);
    this.details = /** @type {HTMLDetailsElement} */ (element("details", { ontoggle: () => this.#fillTable() }));
    this.details.append(element("summary", {}, "Show as table"), this.grid.element);
    this.figure = element("div", {}, this.legend, this.plot, this.summary, this.details);
    this.element = section(panel, this.empty, this.figure);
    new ResizeObserver(() => this.#resize()).observe(this.plot);
  }

  /**
   * @param {unknown[][]} rows
   * @param {(plot: Chart) => Plan} plan is asked where there are rows
   */
  update(rows, plan) {
    this.#rows = rows;
    this.empty.hidden = rows.length > 0;
    this.figure.hidden = rows.length === 0;
    this.#isTableStale = true;
    this.#fillTable();
    this.#plot?.destroy();
    this.#plot = null;
    if (rows.length > 0) {
      this.#draw(plan(this));
    }
  }

  /** @param {Plan} plan */
  #draw({ options, data, summary, describe }) {
    this.summary.textContent = summary;
    this.#describe = describe;
    /** @type {Record<string, any>} */
    const all = {
      legend: { show: false },
      padding: [8, 0, 0, 4],
      cursor: {
        y: false,
        points: { size: 7 },
        drag: { x: true, y: false },
        bind: { dblclick: () => () => this.#showAll() },
      },
      ...this.#size(),
      ...options,
    };
    all.hooks = { ...options.hooks, setCursor: [() => this.#follow()], setScale: [(_, key) => this.#noteZoom(key)] };
    this.#plot = new uPlot(all, data, this.plot);
    this.#follow();
  }

  /** @param {string} title */
  #place(title) {
    const described = { "aria-label": title, "aria-describedby": this.summary.id, "aria-roledescription": "chart" };
    const listeners = {
      onkeydown: (event) => this.#move(event),
      onblur: () => this.legend.removeAttribute("aria-live"),
    };
    return element("div", { class: "plot", role: "group", tabindex: 0, ...described, ...listeners }, this.reset);
  }

  /** Describes the point under the cursor, or the last one. */
  #follow() {
    const index = this.#plot?.cursor.idx ?? this.#rows.length - 1;
    this.legend.replaceChildren(...this.#describe(index));
  }

  /** @param {KeyboardEvent} event */
  #move(event) {
    if (event.key === "Escape") {
      this.#showAll();
    }
    const step = STEPS[event.key];
    if (step === undefined || event.target !== this.plot) {
      return;
    }
    event.preventDefault();
    this.legend.setAttribute("aria-live", "polite");
    const [xs, { min }] = [this.#plot.data[0], this.#plot.scales.x];
    const [first, last] = [xs.findIndex((/** @type {number} */ x) => x >= min), xs.length - 1];
    const index = Math.min(last, Math.max(0, (this.#plot.cursor.idx ?? (step > 0 ? first - 1 : last + 1)) + step));
    this.#plot.setCursor({ left: this.#plot.valToPos(xs[index], "x"), top: 0 });
  }

  #showAll() {
    this.#plot.setData(this.#plot.data, true);
    this.reset.hidden = true;
    this.plot.focus({ preventScroll: true });
  }

  /** @param {string} key of a scale that changed */
  #noteZoom(key) {
    const data = this.#plot?.data[0];
    if (key === "x" && data) {
      const { min, max } = this.#plot.scales.x;
      this.reset.hidden = min <= data[0] && max >= data.at(-1);
    }
  }

  #size() {
    const width = this.plot.clientWidth || 320;
    return { width, height: Math.round(Math.min(360, Math.max(220, width * 0.5))) };
  }

  #resize() {
    const size = this.#size();
    if (this.#plot && this.plot.clientWidth > 0 && this.#plot.width !== size.width) {
      this.#plot.setSize(size);
    }
  }

  #fillTable() {
    if (this.#isTableStale && this.details.open) {
      this.grid.update(this.#rows);
      this.#isTableStale = false;
    }
  }
}

/**
 * @param {string} label
 * @param {string} text
 * @param {HTMLElement | null} key the mark of its curve
 * @returns {HTMLElement} an entry of a legend
 */
export function legendEntry(label, text, key = null) {
  return element("span", {}, key, element("b", {}, label), " ", element("span", {}, text));
}
