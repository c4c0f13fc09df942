// Values as texts.

const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 8 });
const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });
const LONG_TEXT = 300;

/** @param {any} value */
export function valueText(value) {
  if (value === null) {
    return "null";
  }
  if (typeof value === "number") {
    return NUMBER.format(value);
  }
  return typeof value === "object" ? shorten(JSON.stringify(value)) : String(value);
}

/** @param {string} text */
export function shorten(text) {
  return text.length > LONG_TEXT ? `${text.slice(0, LONG_TEXT)}…` : text;
}

/** @param {any} value */
export function jsonText(value) {
  return JSON.stringify(value, null, 2);
}

/** A time of the protocol, where the reader is. @param {string} text */
export function timeText(text) {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : TIME.format(time);
}

/** Milliseconds or seconds, with three digits. @param {number} seconds */
export function durationText(seconds) {
  if (Number.isNaN(seconds)) {
    return "–";
  }
  return seconds < 1 ? `${Number((seconds * 1000).toPrecision(3))} ms` : `${Number(seconds.toPrecision(3))} s`;
}

/** @param {number} bytes */
export function sizeText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB"];
  const unit = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${Number((bytes / 1024 ** unit).toPrecision(3))} ${units[unit]}`;
}
