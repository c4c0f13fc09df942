import { colour } from "./colours.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SHORT_UNITS = [1, 5, 15, 30, 60, 180, 360, 720].map((minutes) => ({
  name: "time",
  key: every(minutes * MINUTE),
}));
const WHOLE_DAY = { name: "day", key: every(DAY) };
const UNITS = [
  ...SHORT_UNITS,
  WHOLE_DAY,
  { name: "day", key: (local) => Math.floor((local / DAY + 3) / 7) },
  { name: "month", key: monthOf },
  { name: "month", key: (local) => Math.floor(monthOf(local) / 3) },
  { name: "year", key: (local) => Math.floor(monthOf(local) / 12) },
  { name: "year", key: (local) => Math.floor(monthOf(local) / 60) },
];

/** @returns {object} what the axes of charts have in common */
export function axisStyle() {
  const grid = { stroke: colour("--grid"), width: 1 };
  const family = getComputedStyle(document.documentElement).fontFamily;
  return { stroke: colour("--muted"), grid, ticks: { show: false }, font: `11px ${family}`, gap: 6 };
}

/**
 * @param {Format} format
 * @param {(plot: any, numbers: number[]) => (number | null)[]} [filter] the marks that are shown
 * @returns {object} a vertical axis at the right, as wide as its longest number
 */
export function numberAxis(format, filter = (_, numbers) => numbers) {
  const size = (_, texts) => 14 + 6.6 * Math.max(3, ...(texts ?? []).map((text) => text.length));
  const { grid, ...style } = axisStyle();
  const shown = { grid: { ...grid, filter }, filter, values: (_, numbers) => writeNumbers(numbers, format) };
  return { ...style, ...shown, side: 1, size };
}

/**
 * Writes the numbers of an axis with as many digits as tell them apart.
 *
 * @param {(number | null)[]} marks
 * @param {Format} format
 * @returns {string[]} empty ones where there is no number
 */
export function writeNumbers(marks, format) {
  const numbers = marks.filter((mark) => mark !== null);
  const step = Math.abs(numbers[1] - numbers[0]) || Math.abs(numbers[0]) || 1;
  const top = Math.max(...numbers.map(Math.abs));
  const unit = [1e12, 1e9, 1e6, 1e3].find((each) => top >= (each > 1e3 ? each : 10 * each)) ?? 1;
  const isCompact = unit > 1 && digitsOf(step / unit) <= 2;
  const digits = digitsOf(isCompact ? step / unit : step);
  const options = { minimumFractionDigits: isCompact ? 0 : digits, maximumFractionDigits: digits };
  const write = format.decimal(isCompact ? { ...options, notation: "compact" } : options);
  return marks.map((mark) => (mark === null ? "" : write(mark)));
}

/**
 * @param {number} step
 * @returns {number} the decimals that write it, at most eight
 */
function digitsOf(step) {
  for (let digits = 0; digits < 8; digits += 1) {
    const shifted = step * 10 ** digits;
    if (Math.abs(shifted - Math.round(shifted)) < 1e-6 * shifted) {
      return digits;
    }
  }
  return 8;
}

/**
 * @param {{width: number}} plot
 * @returns {number} how many texts have room below it
 */
export function roomForMarks({ width }) {
  return Math.max(2, width / 72);
}

/** The marks of a time axis, at the beginnings of hours, days, months or years. */
export class Calendar {
  /** @type {Map<number, number>} */
  #offsets = new Map();

  /**
   * @param {number[]} times in milliseconds, ascending
   * @param {Format} format
   * @param {string | undefined} timeZone
   */
  constructor(times, format, timeZone) {
    this.times = times;
    this.unit = UNITS[0];
    /** @type {Intl.DateTimeFormatOptions} */
    const clock = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" };
    this.clock = new Intl.DateTimeFormat("en", { timeZone, hourCycle: "h23", ...clock });
    this.local = times.map((time) => time + this.#offset(time));
    this.write = {
      time: format.time({ hour: "2-digit", minute: "2-digit" }, timeZone),
      day: format.time({ day: "numeric", month: "short" }, timeZone),
      month: format.time({ month: "short" }, timeZone),
      year: format.time({ year: "numeric" }, timeZone),
    };
  }

  /**
   * Returns the indices of times that begin a unit, of the shortest unit that leaves room for texts.
   *
   * @param {number} first
   * @param {number} last
   * @param {number} most how many have room
   * @returns {number[]}
   */
  marks(first, last, most) {
    let finer = [];
    const areDays = this.local.every((time) => time % DAY === 0);
    for (const unit of areDays ? UNITS.slice(SHORT_UNITS.length) : UNITS) {
      const found = this.#beginnings(unit, Math.max(1, Math.ceil(first)), Math.min(this.times.length - 1, last));
      if (found.length < 2 && finer.length > 1) {
        break;
      }
      this.unit = unit;
      finer = found;
      if (found.length <= most) {
        break;
      }
    }
    if (finer.length === 0) {
      this.unit = WHOLE_DAY;
      return [Math.max(0, Math.ceil(first))];
    }
    const step = Math.ceil(finer.length / most);
    return finer.filter((_, index) => index % step === 0);
  }

  /**
   * @param {number[]} indices
   * @returns {string[]} their texts; the larger unit stands below where it changes
   */
  texts(indices) {
    const { name } = this.unit;
    const above = name === "time" ? "day" : "year";
    let last = "";
    return indices.map((index) => {
      const context = name === "year" ? "" : this.write[above](this.times[index]);
      const isNew = context !== last;
      last = context;
      return this.write[name](this.times[index]) + (isNew ? `\n${context}` : "");
    });
  }

  /**
   * @param {{key: (local: number) => number}} unit
   * @param {number} first
   * @param {number} last
   */
  #beginnings({ key }, first, last) {
    const found = [];
    let before = first > 0 ? key(this.local[first - 1]) : Number.NaN;
    for (let index = first; index <= last; index += 1) {
      const now = key(this.local[index]);
      if (now !== before) {
        found.push(index);
      }
      before = now;
    }
    return found;
  }

  /**
   * @param {number} time
   * @returns {number} what the zone's clock is ahead of UTC, in milliseconds; asked once an hour, since asking is slow
   */
  #offset(time) {
    const hour = Math.floor(time / HOUR);
    const known = this.#offsets.get(hour);
    if (known !== undefined || !Number.isFinite(time)) {
      return known ?? 0;
    }
    const parts = Object.fromEntries(
      this.clock.formatToParts(hour * HOUR).map(({ type, value }) => [type, Number(value)]),
    );
    const local = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute);
    this.#offsets.set(hour, local - hour * HOUR);
    return local - hour * HOUR;
  }
}

/**
 * @param {number} length in milliseconds
 * @returns {(local: number) => number}
 */
function every(length) {
  return (local) => Math.floor(local / length);
}

/** @param {number} local */
function monthOf(local) {
  const date = new Date(local);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
