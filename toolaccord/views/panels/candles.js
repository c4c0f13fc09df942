import { axisStyle, Chart, colour, timeLabels } from "../chart.js";
import { element } from "../elements.js";
import { millisecondsOf, numberOf } from "../format.js";
import { rowsAt } from "../pointers.js";

/** Prices in candles, hollow when they rise and filled when they fall, above their volume. */
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
    const rows = rowsAt(this.columns, result);
    this.chart.update(rows, () => this.#plan(rows));
  }

  /** @param {unknown[][]} rows */
  #plan(rows) {
    const times = rows.map((row) => millisecondsOf(row[0]) ?? Number.NaN);
    const numbers = this.columns.slice(1).map((_, index) => rows.map((row) => numberOf(row[index + 1])));
    this.writers = this.columns.map((column, index) =>
      this.page.format.column(
        column,
        rows.map((row) => row[index]),
      ),
    );
    this.#showLegend(rows, rows.length - 1);
    return {
      options: this.#options(rows, times),
      data: [rows.map((_, index) => index), ...numbers],
      summary: this.#summary(rows, numbers),
    };
  }

  /**
   * @param {unknown[][]} rows
   * @param {number[]} times
   */
  #options(rows, times) {
    const style = axisStyle();
    const colours = { up: colour("--up"), down: colour("--down"), page: colour("--page") };
    const labels = timeLabels(this.page.format);
    const hasVolume = this.columns.length > 5;
    const hidden = { paths: () => null, points: { show: false } };
    return {
      scales: {
        x: { time: false, range: () => [-0.5, rows.length - 0.5] },
        y: { range: (_, low, high) => priceRange(low, high, hasVolume) },
        volume: { range: (_, __, high) => [0, (high || 1) * 5] },
      },
      axes: [
        {
          ...style,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000],
          space: 70,
          values: (_, at) => labels(at.map((index) => times[index])),
        },
        { ...style, values: (_, at) => at.map((value) => this.page.format.short(value)), size: 56, side: 1 },
      ],
      series: [{}, ...this.columns.slice(1).map((_, index) => ({ ...hidden, scale: index === 4 ? "volume" : "y" }))],
      cursor: { points: { show: false }, y: false, drag: { x: false, y: false } },
      hooks: {
        drawSeries: [
          (plot, series) =>
            series === 4 ? drawCandles(plot, colours) : series === 5 ? drawVolume(plot, colours) : null,
        ],
        setCursor: [(plot) => this.#showLegend(rows, plot.cursor.idx ?? rows.length - 1)],
      },
    };
  }

  /**
   * @param {unknown[][]} rows
   * @param {number} index
   */
  #showLegend(rows, index) {
    const row = rows[index];
    const [time, ...values] = this.columns;
    const texts = values.map((column, place) =>
      element("span", {}, element("b", {}, column.label), ` ${this.writers[place + 1](row[place + 1])}`),
    );
    this.chart.legend.replaceChildren(element("span", { title: time.label }, this.writers[0](row[0])), ...texts);
  }

  /**
   * @param {unknown[][]} rows
   * @param {(number | null)[][]} numbers
   */
  #summary(rows, [, high, low]) {
    const [time, , highs, lows, close] = this.writers;
    const [first, last] = [rows[0], rows.at(-1)];
    const unit = this.columns[4].unit ? ` ${this.columns[4].unit}` : "";
    const top = highs(high.reduce((most, value) => Math.max(most, value ?? most), -Infinity));
    const bottom = lows(low.reduce((least, value) => Math.min(least, value ?? least), Infinity));
    return (
      `${rows.length} candles, ${time(first[0])} to ${time(last[0])}: close from ${close(first[4])} ` +
      `to ${close(last[4])}${unit}, between ${bottom} and ${top}.`
    );
  }
}

/**
 * @param {number} low
 * @param {number} high
 * @param {boolean} hasVolume leaves a fifth of the height to volume
 */
function priceRange(low, high, hasVolume) {
  const span = high - low || Math.abs(high) || 1;
  return [low - span * (hasVolume ? 0.3 : 0.05), high + span * 0.05];
}

/**
 * @param {any} plot
 * @param {Record<string, string>} colours
 */
function drawCandles(plot, colours) {
  const { ctx, data } = plot;
  const width = candleWidth(plot);
  ctx.save();
  ctx.lineWidth = Math.max(1, Math.round(devicePixelRatio));
  for (let index = 0; index < data[0].length; index += 1) {
    const [open, high, low, close] = [1, 2, 3, 4].map((series) => data[series][index]);
    if (open !== null && high !== null && low !== null && close !== null) {
      drawCandle(plot, index, width, { open, high, low, close }, colours);
    }
  }
  ctx.restore();
}

/**
 * @param {any} plot
 * @param {number} index
 * @param {number} width
 * @param {{open: number, high: number, low: number, close: number}} candle
 * @param {Record<string, string>} colours
 */
function drawCandle(plot, index, width, { open, high, low, close }, colours) {
  const { ctx } = plot;
  const at = (/** @type {number} */ price) => Math.round(plot.valToPos(price, "y", true)) + 0.5;
  const x = Math.round(plot.valToPos(index, "x", true)) + 0.5;
  const [top, bottom] = [at(Math.max(open, close)), at(Math.min(open, close))];
  const height = Math.max(1, bottom - top);
  const isUp = close >= open;
  ctx.strokeStyle = isUp ? colours.up : colours.down;
  ctx.fillStyle = isUp ? colours.page : colours.down;
  ctx.beginPath();
  ctx.moveTo(x, at(high));
  ctx.lineTo(x, top);
  ctx.moveTo(x, bottom);
  ctx.lineTo(x, at(low));
  ctx.stroke();
  ctx.fillRect(x - width / 2, top, width, height);
  ctx.strokeRect(x - width / 2, top, width, height);
}

/**
 * @param {any} plot
 * @param {Record<string, string>} colours
 */
function drawVolume(plot, colours) {
  const { ctx, data } = plot;
  const width = candleWidth(plot);
  const floor = plot.bbox.top + plot.bbox.height;
  ctx.save();
  ctx.globalAlpha = 0.35;
  for (let index = 0; index < data[0].length; index += 1) {
    const volume = data[5][index];
    if (volume !== null) {
      const top = plot.valToPos(volume, "volume", true);
      ctx.fillStyle = data[4][index] >= data[1][index] ? colours.up : colours.down;
      ctx.fillRect(Math.round(plot.valToPos(index, "x", true) - width / 2), top, width, floor - top);
    }
  }
  ctx.restore();
}

/**
 * @param {any} plot
 * @returns {number} device pixels, an even number, so that wicks stand in the middle
 */
function candleWidth(plot) {
  const room = plot.bbox.width / plot.data[0].length;
  return Math.max(1, Math.min(14 * devicePixelRatio, Math.round((room * 0.7) / 2) * 2));
}
