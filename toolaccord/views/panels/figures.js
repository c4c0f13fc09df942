import { element, section } from "../elements.js";
import { isNumber } from "../format.js";
import { linkedText } from "../links.js";
import { valueAt } from "../pointers.js";

const LONG_TEXT = 32;

/** Key figures. */
export class FiguresPanel {
  /**
   * @param {{kind: string, title?: string, figures: Column[]}} panel
   * @param {Page} page
   */
  constructor(panel, page) {
    this.panel = panel;
    this.page = page;
    this.list = element("dl");
    this.element = section(panel, this.list);
  }

  /** @param {unknown} result */
  update(result) {
    this.list.replaceChildren(
      ...this.panel.figures.map((column) => this.#figure(column, valueAt(column.pointer, result))),
    );
  }

  /**
   * @param {Column} column
   * @param {unknown} value
   */
  #figure(column, value) {
    const unit = column.unit && value !== null ? element("small", {}, ` ${column.unit}`) : null;
    const text = this.page.format.figure(column, value);
    const kind = isNumber(column) || value === null ? "number" : "word";
    const shown = element("dd", { class: kind }, linkedText(column, text, this.page), unit);
    const isProse = column.format === "text" && text.length > LONG_TEXT;
    const attributes = { class: isProse ? "prose" : null, title: column.description };
    return element("div", attributes, element("dt", {}, column.label), shown);
  }
}
