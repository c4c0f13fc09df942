/* global uPlot */
import { element, emptyNote, newId, section } from "./elements.js";
import { Grid } from "./grid.js";

/** A canvas of uPlot with a summary, a legend, and the same data as a table. */
export class Chart {
  #plot = null;
  #stale = true;

  /**
   * @param {{kind: string, title?: string}} panel
   * @param {Column[]} columns of the table
   * @param {Page} page
   */
  constructor(panel, columns, page) {
    this.page = page;
    this.columns = columns;
    this.rows = [];
    this.empty = emptyNote();
    this.summary = element("p", { class: "summary", id: newId() });
    this.legend = element("div", { class: "legend", "aria-hidden": "true" });
    this.canvas = element("div", { class: "plot", role: "img", "aria-describedby": this.summary.id });
    this.canvas.setAttribute("aria-label", panel.title ?? page.view.title);
    this.grid = new Grid(columns, panel.title ?? page.view.title);
    this.details = element("details", { ontoggle: () => this.#fillTable() });
    this.details.append(element("summary", {}, "Show as table"), this.grid.element);
    this.element = section(panel, this.empty, this.legend, this.canvas, this.summary, this.details);
    new ResizeObserver(() => this.#resize()).observe(this.canvas);
  }

  /**
   * @param {unknown[][]} rows
   * @param {() => {options: object, data: unknown[][], summary: string}} plan
   */
  update(rows, plan) {
    this.rows = rows;
    const isEmpty = rows.length === 0;
    this.empty.hidden = !isEmpty;
    for (const part of [this.legend, this.canvas, this.summary, this.details]) {
      part.hidden = isEmpty;
    }
    this.#stale = true;
    this.#fillTable();
    this.#plot?.destroy();
    this.#plot = null;
    if (!isEmpty) {
      this.#draw(plan());
    }
  }

  /** @param {{options: object, data: unknown[][], summary: string}} plan */
  #draw({ options, data, summary }) {
    this.summary.textContent = summary;
    this.#plot = new uPlot({ legend: { show: false }, ...this.#size(), ...options }, data, this.canvas);
  }

  #size() {
    const width = this.canvas.clientWidth || 320;
    return { width, height: Math.round(Math.min(380, Math.max(220, width * 0.5))) };
  }

  #resize() {
    const size = this.#size();
    if (this.#plot && this.#plot.width !== size.width) {
      this.#plot.setSize(size);
    }
  }

  #fillTable() {
    if (this.#stale && /** @type {HTMLDetailsElement} */ (this.details).open) {
      this.grid.update(this.rows, this.page.format);
      this.#stale = false;
    }
  }
}

/**
 * @param {string} name of a custom property
 * @returns {string} a colour that a canvas takes
 */
export function colour(name) {
  const probe = element("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** @returns {object} what axes have in common */
export function axisStyle() {
  const stroke = colour("--muted");
  const grid = { stroke: colour("--grid"), width: 1 };
  return { stroke, grid, ticks: { show: false }, font: "11px system-ui, sans-serif", gap: 6 };
}

/**
 * Returns labels of times for an axis: years, days or hours, as far apart as the times are.
 *
 * @param {Format} format
 * @returns {(times: number[]) => string[]} from milliseconds
 */
export function timeLabels(format) {
  const day = format.time({ day: "numeric", month: "short" });
  const month = format.time({ month: "short", year: "numeric" });
  const hour = format.time({ hour: "2-digit", minute: "2-digit" });
  return (times) => {
    const step = times.length > 1 ? Math.abs(times[1] - times[0]) : 0;
    const write = step >= 25 * 86_400_000 ? month : step >= 86_400_000 ? day : hour;
    return times.map((time, index) => {
      const isNewDay = index === 0 || day(time) !== day(times[index - 1]);
      return write === hour && isNewDay ? `${hour(time)}\n${day(time)}` : write(time);
    });
  };
}
