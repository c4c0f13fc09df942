const NO_VALUE = "–";

/** Columns, values and times as texts in the host's locale and time zone. */
export class Format {
  /**
   * @param {string | undefined} locale a BCP 47 tag; the browser's if absent or unknown
   * @param {string | undefined} timeZone an IANA name; the browser's if absent or unknown
   */
  constructor(locale, timeZone) {
    this.locale = supported(() => Intl.getCanonicalLocales(locale)[0]);
    this.timeZone = supported(() => new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone);
  }

  /**
   * Returns a function from the values of a column to texts. All of them have the same number of decimals.
   *
   * @param {Column} column
   * @param {unknown[]} values
   * @returns {(value: unknown) => string}
   */
  column(column, values) {
    const write = this.#writer(column, values);
    return (value) => (value === null || value === undefined ? NO_VALUE : write(value));
  }

  /**
   * @param {Column} column
   * @param {unknown} value
   * @returns {string} a single value with its unit
   */
  withUnit(column, value) {
    const text = this.column(column, [value])(value);
    return column.unit && value !== null ? `${text} ${column.unit}` : text;
  }

  /**
   * @param {number} value
   * @returns {string} a short number for an axis, such as 1.2M
   */
  short(value) {
    const options = Math.abs(value) >= 10_000 ? { notation: "compact" } : {};
    return new Intl.NumberFormat(this.locale, { maximumSignificantDigits: 6, ...options }).format(value);
  }

  /**
   * @param {Intl.DateTimeFormatOptions} options
   * @returns {(milliseconds: number) => string}
   */
  time(options) {
    const format = new Intl.DateTimeFormat(this.locale, { timeZone: this.timeZone, ...options });
    return (milliseconds) => (Number.isFinite(milliseconds) ? format.format(milliseconds) : NO_VALUE);
  }

  /**
   * @param {Column} column
   * @param {unknown[]} values
   * @returns {(value: unknown) => string}
   */
  #writer(column, values) {
    switch (column.format) {
      case "number":
      case "integer":
        return this.#numbers(values);
      case "boolean":
        return (value) => (value === true ? "yes" : value === false ? "no" : textOf(value));
      case "date":
        return this.#times({ dateStyle: "medium", timeZone: "UTC" });
      case "date-time":
        return this.#times(
          values.every(isMidnight) ? { dateStyle: "medium" } : { dateStyle: "medium", timeStyle: "short" },
        );
      default:
        return textOf;
    }
  }

  /**
   * @param {unknown[]} values
   * @returns {(value: unknown) => string}
   */
  #numbers(values) {
    const digits = values.reduce((most, value) => Math.max(most, decimals(value)), 0);
    const format = new Intl.NumberFormat(this.locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
    return (value) => (isNumeric(value) ? format.format(Number(value)) : textOf(value));
  }

  /**
   * @param {Intl.DateTimeFormatOptions} options
   * @returns {(value: unknown) => string}
   */
  #times(options) {
    const write = this.time(options);
    return (value) => {
      const milliseconds = millisecondsOf(value);
      return milliseconds === null ? textOf(value) : write(milliseconds);
    };
  }
}

/**
 * @param {unknown} value a date, a date-time, or milliseconds since 1970
 * @returns {number | null}
 */
export function millisecondsOf(value) {
  const milliseconds = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(milliseconds) ? null : milliseconds;
}

/**
 * @param {unknown} value
 * @returns {number | null} a finite number, or null
 */
export function numberOf(value) {
  return isNumeric(value) ? Number(value) : null;
}

/**
 * @param {Column} column
 * @returns {string} its label with its unit
 */
export function labelOf(column) {
  return column.unit ? `${column.label} (${column.unit})` : column.label;
}

/**
 * @param {Column} column
 * @returns {boolean}
 */
export function isNumber(column) {
  return column.format === "number" || column.format === "integer";
}

/**
 * @param {() => string} read
 * @returns {string | undefined}
 */
function supported(read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) {
      return undefined;
    }
    throw error;
  }
}

/** @param {unknown} value */
function isNumeric(value) {
  return (
    (typeof value === "number" || (typeof value === "string" && value.trim() !== "")) && Number.isFinite(Number(value))
  );
}

/** @param {unknown} value */
function isMidnight(value) {
  return typeof value !== "string" || /T00:00(:00(\.0+)?)?(Z|[+-]00:00)$/.test(value);
}

/**
 * @param {unknown} value
 * @returns {number} its decimals among its first eight digits, at most eight
 */
function decimals(value) {
  const number = numberOf(value);
  if (number === null || Number.isInteger(number)) {
    return 0;
  }
  const [mantissa, exponent] = Number(number.toPrecision(8)).toExponential().split("e");
  return Math.min(8, Math.max(0, (mantissa.split(".")[1]?.length ?? 0) - Number(exponent)));
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
