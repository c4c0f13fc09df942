import { axisStyle, Chart, colour, timeLabels } from "../chart.js";
import { element } from "../elements.js";
import { isNumber, labelOf, millisecondsOf, numberOf } from "../format.js";
import { rowsAt } from "../pointers.js";

const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
const COLOURS = 6;

/** Curves, areas down to zero, and bands, over times or numbers. */
export class LinesPanel {
  /**
   * @param {{kind: string, title?: string, x: Column, lines?: Column[], areas?: Column[], bands?: {lower: Column, upper: Column}[]}} panel
   * @param {Page} page
   */
  constructor(panel, page) {
    const bands = panel.bands ?? [];
    this.curves = [
      ...(panel.lines ?? []).map((column) => ({ column, kind: "line" })),
      ...(panel.areas ?? []).map((column) => ({ column, kind: "area" })),
      ...bands.flatMap(({ lower, upper }) => [
        { column: lower, kind: "lower" },
        { column: upper, kind: "upper" },
      ]),
    ];
    this.columns = [panel.x, ...this.curves.map((curve) => curve.column)];
    this.isTime = !isNumber(panel.x);
    this.page = page;
    this.chart = new Chart(panel, this.columns, page);
    this.element = this.chart.element;
  }

  /** @param {unknown} result */
  update(result) {
    const rows = rowsAt(this.columns, result);
    this.chart.update(rows, () => this.#plan(rows));
  }

  /** @param {unknown[][]} rows */
  #plan(rows) {
    const known = rows.map((row) => [this.#x(row[0]), row]).filter(([x]) => x !== null);
    this.writers = this.columns.map((column, index) =>
      this.page.format.column(
        column,
        rows.map((row) => row[index]),
      ),
    );
    const shown = known.map(([, row]) => row);
    const numbers = this.curves.map((_, index) => shown.map((row) => numberOf(row[index + 1])));
    this.#showLegend(shown, shown.length - 1);
    return {
      options: this.#options(shown),
      data: [known.map(([x]) => x), ...numbers],
      summary: this.#summary(shown, numbers),
    };
  }

  /**
   * @param {unknown} value
   * @returns {number | null} seconds or a number
   */
  #x(value) {
    const milliseconds = this.isTime ? millisecondsOf(value) : null;
    return this.isTime ? (milliseconds === null ? null : milliseconds / 1000) : numberOf(value);
  }

  /** @param {unknown[][]} rows */
  #options(rows) {
    const style = axisStyle();
    const { format } = this.page;
    const labels = timeLabels(format);
    const timeValues = (_, at) => labels(at.map((seconds) => seconds * 1000));
    const numberValues = (_, at) => at.map((value) => format.short(value));
    return {
      ...(format.timeZone ? { tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), format.timeZone) } : {}),
      scales: { x: { time: this.isTime } },
      axes: [
        { ...style, space: 70, values: this.isTime ? timeValues : numberValues },
        { ...style, values: numberValues, size: 56, side: 1 },
      ],
      series: [{}, ...this.curves.map((curve, index) => curveStyle(curve.kind, index))],
      bands: this.#bands(),
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
      hooks: { setCursor: [(plot) => this.#showLegend(rows, plot.cursor.idx ?? rows.length - 1)] },
    };
  }

  #bands() {
    const uppers = this.curves.map((curve, index) => (curve.kind === "upper" ? index + 1 : 0)).filter(Boolean);
    return uppers.map((upper) => ({ series: [upper, upper - 1], fill: colour(`--fill-${(upper - 1) % COLOURS}`) }));
  }

  /**
   * @param {unknown[][]} rows
   * @param {number} index
   */
  #showLegend(rows, index) {
    const row = rows[index] ?? [];
    const entries = this.curves.map(({ column }, place) =>
      element(
        "span",
        {},
        element("i", { class: "key", "data-colour": place % COLOURS }),
        element("b", {}, labelOf(column)),
        ` ${this.writers[place + 1](row[place + 1])}`,
      ),
    );
    this.chart.legend.replaceChildren(element("span", {}, this.writers[0](row[0])), ...entries);
  }

  /**
   * @param {unknown[][]} rows
   * @param {(number | null)[][]} numbers
   */
  #summary(rows, numbers) {
    const [x, ...writers] = this.writers;
    const parts = this.curves.map(({ column }, index) => {
      const values = numbers[index].filter((value) => value !== null);
      const low = values.reduce((least, value) => Math.min(least, value), Infinity);
      const high = values.reduce((most, value) => Math.max(most, value), -Infinity);
      const write = writers[index];
      return values.length === 0
        ? `${labelOf(column)} without values`
        : `${labelOf(column)} from ${write(values[0])} to ${write(values.at(-1))}, between ${write(low)} and ${write(high)}`;
    });
    return `${rows.length} points, ${x(rows[0]?.[0])} to ${x(rows.at(-1)?.[0])}: ${parts.join("; ")}.`;
  }
}

/**
 * @param {string} kind
 * @param {number} index
 * @returns {object} a series of uPlot
 */
function curveStyle(kind, index) {
  const stroke = colour(`--series-${index % COLOURS}`);
  const fill = kind === "area" ? { fill: colour(`--fill-${index % COLOURS}`) } : {};
  const isBand = kind === "lower" || kind === "upper";
  return {
    stroke,
    ...fill,
    width: isBand ? 1 : 1.75,
    dash: DASHES[Math.floor(index / COLOURS) % DASHES.length],
    points: { show: false },
    spanGaps: false,
  };
}
