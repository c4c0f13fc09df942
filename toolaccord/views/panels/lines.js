/* global uPlot */
import { axisStyle, Calendar, numberAxis, roomForMarks, writeNumbers } from "../axes.js";
import { Chart, legendEntry } from "../chart.js";
import { colour } from "../colours.js";
import { element } from "../elements.js";
import { isNumber, labelOf, millisecondsOf, numberOf, timeReader } from "../format.js";
import { ascendingRows, rowsAt, writersOf } from "../pointers.js";

const COLOURS = 6;
const TOLD = 4;
/** The scale of areas, which are drawn down to zero. */
const WITH_ZERO = { range: (_, low, high) => uPlot.rangeNum(Math.min(low ?? 0, 0), Math.max(high ?? 1, 0), 0.1, true) };
const DASHES = [[], [6, 3], [2, 3]];
/** Curves, areas down to zero, and bands, over times or numbers. */
export class LinesPanel {
  /**
   * @param {{kind: string, title?: string, x: Column, lines?: Column[], areas?: Column[], bands?: Band[]}} panel
   * @param {Page} page
   */
  constructor(panel, page) {
    this.curves = curvesOf(panel);
    this.columns = [panel.x, ...this.curves.map((curve) => curve.column)];
    this.isTime = !isNumber(panel.x);
    this.page = page;
    this.chart = new Chart(panel, this.columns, page);
    this.element = this.chart.element;
  }

  /** @param {unknown} result */
  update(result) {
    const rows = ascendingRows(rowsAt(this.columns, result), this.isTime ? millisecondsOf : numberOf);
    this.chart.update(rows, () => this.#plan(rows));
  }

  /**
   * @param {unknown[][]} rows
   * @returns {Plan}
   */
  #plan(rows) {
    const writers = writersOf(this.columns, rows, this.page.format);
    const numbers = this.curves.map((_, index) => rows.map((row) => numberOf(row[index + 1])));
    const colours = this.curves.map((curve, index) => colourOf(curve, numbers[index]));
    return {
      options: this.#options(rows, colours),
      data: [this.#xs(rows), ...numbers],
      summary: this.#summary(rows, numbers, writers),
      describe: (index) => this.#describe(rows[index], writers, colours),
    };
  }

  /**
   * @param {unknown[][]} rows
   * @returns {(number | null)[]} milliseconds or numbers
   */
  #xs(rows) {
    const values = rows.map(([x]) => x);
    return values.map(this.isTime ? timeReader(this.columns[0], values) : numberOf);
  }

  /**
   * @param {unknown[][]} rows
   * @param {string[]} colours
   */
  #options(rows, colours) {
    const { format } = this.page;
    return {
      scales: { x: { time: false }, ...(this.curves.some(({ kind }) => kind === "area") ? { y: WITH_ZERO } : {}) },
      axes: [this.isTime ? this.#timeAxis(rows) : numbersBelow(format), numberAxis(format)],
      series: [{}, ...this.curves.map((curve, index) => styleOf(curve, colours[index]))],
      bands: this.curves
        .map(({ kind }, index) => ({ series: [index + 1, index], fill: faded(colours[index]), kind }))
        .filter(({ kind }) => kind === "upper"),
    };
  }

  /** @param {unknown[][]} rows */
  #timeAxis(rows) {
    const texts = rows.map(([x]) => x);
    const times = /** @type {number[]} */ (this.#xs(rows));
    const calendar = new Calendar(times, this.page.format, this.page.format.zone(this.columns[0], texts));
    const indexOf = new Map(times.map((time, index) => [time, index]));
    const marks = (plot, low, high) => {
      const first = times.findIndex((time) => time >= low);
      const last = times.findLastIndex((time) => time <= high);
      return calendar.marks(first, last, roomForMarks(plot)).map((index) => times[index]);
    };
    return {
      ...axisStyle(),
      size: 40,
      splits: (plot, _, low, high) => marks(plot, low, high),
      values: (_, found) => calendar.texts(found.map((time) => indexOf.get(time) ?? 0)),
    };
  }

  /**
   * @param {unknown[]} row
   * @param {((value: unknown) => string)[]} writers
   * @param {string[]} colours
   */
  #describe([x, ...values], [writeX, ...writers], colours) {
    const entries = this.curves.map(({ column, kind, dash }, index) => {
      const key = element("i", { class: `key ${kind} dash-${dash}` });
      key.style.color = colours[index];
      return legendEntry(labelOf(column), writers[index](values[index]), key);
    });
    return [element("span", { class: "at" }, writeX(x)), ...entries];
  }

  /**
   * @param {unknown[][]} rows
   * @param {(number | null)[][]} numbers
   * @param {((value: unknown) => string)[]} writers
   */
  #summary(rows, numbers, [writeX, ...writers]) {
    const told = this.curves.slice(0, TOLD);
    const parts = told.map(({ column }, index) => describeCurve(column, numbers[index], writers[index]));
    if (this.curves.length > TOLD) {
      parts.push(this.page.format.plural(this.curves.length - TOLD, "further curve"));
    }
    const [first, last] = [rows[0][0], rows.at(-1)?.[0]];
    return `${this.page.format.plural(rows.length, "point")}, ${writeX(first)} to ${writeX(last)}: ${parts.join("; ")}.`;
  }
}

/**
 * @param {{lines?: Column[], areas?: Column[], bands?: Band[]}} panel
 * @returns {Curve[]} both curves of a band have one place among the colours
 */
function curvesOf({ lines = [], areas = [], bands = [] }) {
  /** @type {Pick<Curve, "column" | "kind">[][]} */
  const groups = [
    ...lines.map((column) => [{ column, kind: "line" }]),
    ...areas.map((column) => [{ column, kind: "area" }]),
    ...bands.map(({ lower, upper }) => [
      { column: lower, kind: "lower" },
      { column: upper, kind: "upper" },
    ]),
  ];
  const place = (/** @type {number} */ index) => ({
    hue: index % COLOURS,
    dash: Math.floor(index / COLOURS) % DASHES.length,
  });
  return groups.flatMap((group, index) => group.map((curve) => ({ ...curve, ...place(index) })));
}

/**
 * @param {Curve} curve
 * @param {(number | null)[]} numbers
 * @returns {string} red for an area below zero, such as a drawdown
 */
function colourOf({ kind, hue }, numbers) {
  const isBelow = kind === "area" && numbers.every((number) => (number ?? 0) <= 0);
  return colour(isBelow ? "--down" : `--series-${hue}`);
}

/** @param {string} ink such as `rgb(1, 2, 3)` */
function faded(ink) {
  return ink.replace("rgb(", "rgba(").replace(")", ", 0.14)");
}

/**
 * @param {Curve} curve
 * @param {string} stroke
 * @returns {object} a series of uPlot
 */
function styleOf({ kind, dash }, stroke) {
  const isBand = kind === "lower" || kind === "upper";
  const fill = kind === "area" ? { fill: faded(stroke), fillTo: 0 } : {};
  const ink = isBand ? stroke.replace("rgb(", "rgba(").replace(")", ", 0.5)") : stroke;
  return { stroke: ink, width: isBand ? 1 : 1.75, dash: DASHES[dash], points: { show: false }, ...fill };
}

/** @param {Format} format */
function numbersBelow(format) {
  return { ...axisStyle(), size: 26, space: 72, values: (_, numbers) => writeNumbers(numbers, format) };
}

/**
 * @param {Column} column
 * @param {(number | null)[]} numbers
 * @param {(value: unknown) => string} write
 */
function describeCurve(column, numbers, write) {
  const values = numbers.filter((number) => number !== null);
  if (values.length === 0) {
    return `${labelOf(column)} has no values`;
  }
  const low = values.reduce((least, value) => Math.min(least, value));
  const high = values.reduce((most, value) => Math.max(most, value));
  const ends = `from ${write(values[0])} to ${write(values.at(-1))}`;
  return `${labelOf(column)} ${ends}, between ${write(low)} and ${write(high)}`;
}
