import { axisStyle, Calendar, numberAxis, roomForMarks } from "../axes.js";
import { Chart, legendEntry } from "../chart.js";
import { colour } from "../colours.js";
import { element } from "../elements.js";
import { millisecondsOf, numberOf, timeReader } from "../format.js";
import { ascendingRows, rowsAt, writersOf } from "../pointers.js";

/** Prices in candles, hollow where they rise and filled where they fall, above their volume. */
export class CandlesPanel {
  /**
   * @param {{kind: string, title?: string} & Record<string, Column>} panel
   * @param {Page} page
   */
  constructor(panel, page) {
    const { time, open, high, low, close, volume } = panel;
    this.columns = [time, open, high, low, close, ...(volume ? [volume] : [])];
    this.page = page;
    this.chart = new Chart(panel, this.columns, page);
    this.element = this.chart.element;
  }

  /** @param {unknown} result */
  update(result) {
    const rows = ascendingRows(rowsAt(this.columns, result), millisecondsOf);
    this.chart.update(rows, () => this.#plan(rows));
  }

  /**
   * @param {unknown[][]} rows
   * @returns {Plan}
   */
  #plan(rows) {
    const numbers = this.columns.slice(1).map((_, index) => rows.map((row) => numberOf(row[index + 1])));
    const writers = writersOf(this.columns, rows, this.page.format);
    return {
      options: this.#options(rows),
      data: [rows.map((_, index) => index), ...numbers],
      summary: this.#summary(rows, numbers, writers),
      describe: (index) => this.#describe(rows[index], writers),
    };
  }

  /** @param {unknown[][]} rows */
  #options(rows) {
    const { format } = this.page;
    const [column] = this.columns;
    const moments = rows.map(([time]) => time);
    const times = moments.map(timeReader(column, moments)).map((time) => time ?? 0);
    const zone = format.zone(column, moments);
    const hasVolume = this.columns.length > 5;
    return {
      scales: {
        x: { time: false, range: (_, low, high) => [Math.max(low, 0) - 0.5, Math.min(high, rows.length - 1) + 0.5] },
        y: { range: (_, low, high) => priceRange(low, high, hasVolume) },
        volume: { range: (_, __, high) => [0, (high || 1) * 5] },
      },
      axes: [timeAxis(new Calendar(times, format, zone)), numberAxis(format, hasVolume ? aboveVolume : undefined)],
      series: [{}, ...this.columns.slice(1).map((_, index) => invisible(index === 4 ? "volume" : "y"))],
      hooks: { draw: [(plot) => drawAll(plot, hasVolume)] },
    };
  }

  /**
   * @param {unknown[]} row
   * @param {((value: unknown) => string)[]} writers
   */
  #describe([time, ...values], [writeTime, ...writers]) {
    const texts = values.map((value, index) => legendEntry(this.columns[index + 1].label, writers[index](value)));
    return [element("span", { class: "at" }, writeTime(time)), ...texts];
  }

  /**
   * @param {unknown[][]} rows
   * @param {(number | null)[][]} numbers
   * @param {((value: unknown) => string)[]} writers
   */
  #summary(rows, [, high, low], [time, , highs, lows, close]) {
    const [first, last] = [rows[0], rows.at(-1) ?? rows[0]];
    const unit = this.columns[4].unit ? ` ${this.columns[4].unit}` : "";
    const top = high.reduce((most, value) => (value !== null && value > (most ?? -Infinity) ? value : most), null);
    const bottom = low.reduce((least, value) => (value !== null && value < (least ?? Infinity) ? value : least), null);
    return (
      `${this.page.format.plural(rows.length, "candle")}, ${time(first[0])} to ${time(last[0])}: close from ` +
      `${close(first[4])} to ${close(last[4])}${unit}, between ${lows(bottom)} and ${highs(top)}.`
    );
  }
}

/** @param {string} scale */
function invisible(scale) {
  return { scale, paths: () => null, points: { show: false } };
}

/** @param {Calendar} calendar */
function timeAxis(calendar) {
  return {
    ...axisStyle(),
    size: 40,
    splits: (plot, _, low, high) => calendar.marks(low, high, roomForMarks(plot)),
    values: (_, indices) => calendar.texts(indices),
  };
}

/**
 * @param {number | null} low
 * @param {number | null} high
 * @param {boolean} hasVolume leaves a fifth of the height to volume
 */
function priceRange(low, high, hasVolume) {
  if (low === null || high === null) {
    return [0, 1];
  }
  const span = high - low || Math.abs(high) || 1;
  return [low - span * (hasVolume ? 0.3 : 0.05), high + span * 0.05];
}

/**
 * @param {any} plot
 * @param {number[]} prices
 * @returns {(number | null)[]} null for marks that would stand among the volume
 */
function aboveVolume({ scales: { y } }, prices) {
  const floor = y.min + (y.max - y.min) * 0.2;
  return prices.map((price) => (price < floor ? null : price));
}

/**
 * @param {any} plot
 * @param {boolean} hasVolume
 */
function drawAll(plot, hasVolume) {
  const colours = { up: colour("--up"), down: colour("--down"), page: colour("--page") };
  const [first, last] = [Math.ceil(plot.scales.x.min), Math.floor(plot.scales.x.max)];
  const width = candleWidth(plot);
  plot.ctx.save();
  plot.ctx.beginPath();
  plot.ctx.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
  plot.ctx.clip();
  for (let index = Math.max(0, first); index <= Math.min(last, plot.data[0].length - 1); index += 1) {
    const [open, high, low, close, volume] = plot.data.slice(1).map((series) => series[index]);
    const candle = { open, high, low, close, width, colour: close >= open ? colours.up : colours.down };
    if (hasVolume && volume !== null) {
      drawVolume(plot, index, volume, candle);
    }
    if (open !== null && high !== null && low !== null && close !== null) {
      drawCandle(plot, index, candle, colours.page);
    }
  }
  plot.ctx.restore();
}

/**
 * @param {any} plot
 * @param {number} index
 * @param {Candle} candle
 * @param {string} page the colour of what is hollow
 */
function drawCandle(plot, index, { open, high, low, close, width, colour: ink }, page) {
  const { ctx } = plot;
  const at = (/** @type {number} */ price) => Math.round(plot.valToPos(price, "y", true)) + 0.5;
  const x = Math.round(plot.valToPos(index, "x", true)) + 0.5;
  const [top, bottom] = [at(Math.max(open, close)), at(Math.min(open, close))];
  ctx.lineWidth = Math.max(1, Math.round(devicePixelRatio));
  ctx.strokeStyle = ink;
  ctx.fillStyle = close >= open ? page : ink;
  ctx.beginPath();
  ctx.moveTo(x, at(high));
  ctx.lineTo(x, at(low));
  ctx.stroke();
  if (width > 1) {
    ctx.fillRect(x - width / 2, top, width, Math.max(1, bottom - top));
    ctx.strokeRect(x - width / 2, top, width, Math.max(1, bottom - top));
  }
}

/**
 * @param {any} plot
 * @param {number} index
 * @param {number} volume
 * @param {Candle} candle
 */
function drawVolume(plot, index, volume, { width, colour: ink }) {
  const { ctx } = plot;
  const top = plot.valToPos(volume, "volume", true);
  ctx.globalAlpha = 0.35;
  ctx.fillStyle = ink;
  ctx.fillRect(
    Math.round(plot.valToPos(index, "x", true) - width / 2),
    top,
    width + 1,
    plot.bbox.top + plot.bbox.height - top,
  );
  ctx.globalAlpha = 1;
}

/**
 * @param {any} plot
 * @returns {number} device pixels: an even number, so that wicks stand in the middle, or 1 where there is no room
 */
function candleWidth(plot) {
  const room = plot.bbox.width / (plot.scales.x.max - plot.scales.x.min);
  return Math.max(1, Math.min(16 * devicePixelRatio, 2 * Math.floor(room * 0.35)));
}
