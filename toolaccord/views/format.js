const NO_VALUE = "–";
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
/** @type {Intl.DateTimeFormatOptions} */
const DAY_STYLE = { dateStyle: "medium" };
/** @type {Intl.DateTimeFormatOptions} */
const MOMENT_STYLE = { dateStyle: "medium", timeStyle: "short" };

/** Values of columns as texts in the host's locale and time zone. */
export class Format {
  /**
   * @param {string} [locale] a BCP 47 tag; the browser's if absent or unknown
   * @param {string} [timeZone] an IANA name; the browser's if absent or unknown
   */
  constructor(locale, timeZone) {
    this.locale = supported(() => Intl.getCanonicalLocales(locale)[0]);
    this.timeZone = supported(() => new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone);
  }

  /**
   * Returns a function from the values of a column to texts. Its numbers have the same number of decimals.
   *
   * @param {Column} column
   * @param {unknown[]} values all of them
   * @returns {(value: unknown) => string}
   */
  column(column, values) {
    const write = this.#writer(column, values);
    return (value) => (value === null || value === undefined ? NO_VALUE : write(value));
  }

  /**
   * @param {Column} column
   * @param {unknown} value
   * @returns {string} a key figure, rounded to what a reader remembers
   */
  figure(column, value) {
    const number = column.format === "number" ? numberOf(value) : null;
    const shown = number === null || Math.abs(number) > Number.MAX_SAFE_INTEGER ? value : rounded(number);
    return this.column(column, [shown])(shown);
  }

  /**
   * @param {number} value
   * @returns {string}
   */
  count(value) {
    return this.decimal({})(value);
  }

  /**
   * @param {number} value
   * @param {string} noun in the singular
   * @returns {string} such as `1 candle` or `2 candles`
   */
  plural(value, noun) {
    return `${this.count(value)} ${noun}${value === 1 ? "" : "s"}`;
  }

  /**
   * @param {Intl.NumberFormatOptions} options
   * @returns {(value: number) => string}
   */
  decimal(options) {
    return new Intl.NumberFormat(this.locale, options).format;
  }

  /**
   * @param {Intl.DateTimeFormatOptions} options
   * @param {string} [timeZone]
   * @returns {(milliseconds: number) => string}
   */
  time(options, timeZone = this.timeZone) {
    return new Intl.DateTimeFormat(this.locale, { timeZone, ...options }).format;
  }

  /**
   * Returns the time zone of a column. Days, and moments that are all a midnight, are the same day everywhere.
   *
   * @param {Column} column
   * @param {unknown[]} values
   * @returns {string | undefined}
   */
  zone(column, values) {
    return isOfDays(column, values) ? "UTC" : this.timeZone;
  }

  /**
   * @param {Column} column
   * @param {unknown[]} values
   * @returns {(value: unknown) => string}
   */
  #writer(column, values) {
    if (isNumber(column)) {
      return this.#numbers(values);
    }
    if (column.format === "date" || column.format === "date-time") {
      return this.#times(column, values);
    }
    return column.format === "boolean" ? writeBoolean : textOf;
  }

  /**
   * @param {unknown[]} values
   * @returns {(value: unknown) => string}
   */
  #numbers(values) {
    const digits = values.map(decimals).reduce((most, each) => Math.max(most, each), 0);
    const top = values.map((value) => Math.abs(numberOf(value) ?? 0)).reduce((most, each) => Math.max(most, each), 0);
    const shown = Math.min(digits, Math.max(2, 7 - Math.ceil(Math.log10(top || 1))));
    const write = this.decimal({ minimumFractionDigits: shown, maximumFractionDigits: shown });
    const writeSmall = this.decimal({ maximumSignificantDigits: 3 });
    return (value) => {
      const number = numberOf(value);
      const isSmall = number !== null && number !== 0 && Math.abs(number) < 10 ** (1 - shown) && shown < digits;
      // A decimal in a string may have more digits than a number holds.
      const exact = /** @type {number} */ (typeof value === "string" ? value.trim() : value);
      return number === null ? textOf(value) : (isSmall ? writeSmall : write)(exact);
    };
  }

  /**
   * @param {Column} column
   * @param {unknown[]} values
   * @returns {(value: unknown) => string}
   */
  #times(column, values) {
    const write = this.time(isOfDays(column, values) ? DAY_STYLE : MOMENT_STYLE, this.zone(column, values));
    const read = timeReader(column, values);
    return (value) => {
      const milliseconds = read(value);
      return milliseconds === null ? textOf(value) : write(milliseconds);
    };
  }
}

/**
 * Returns a function from the times of a column to milliseconds: for days, those of their midnight in UTC.
 *
 * @param {Column} column
 * @param {unknown[]} values
 * @returns {(value: unknown) => number | null}
 */
export function timeReader(column, values) {
  return isOfDays(column, values) ? (value) => millisecondsOf(String(value).slice(0, 10)) : millisecondsOf;
}

/**
 * @param {unknown} value a date or a date-time
 * @returns {number | null}
 */
export function millisecondsOf(value) {
  const milliseconds = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(milliseconds) ? null : milliseconds;
}

/**
 * @param {unknown} value
 * @returns {number | null} a finite number, also from a decimal in a string
 */
export function numberOf(value) {
  const isText = typeof value === "string" && DECIMAL.test(value.trim());
  const number = typeof value === "number" || isText ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : null;
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
 * @param {() => string | undefined} read
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

/**
 * @param {Column} column
 * @param {unknown[]} values
 */
function isOfDays(column, values) {
  return column.format === "date" || (values.length > 1 && values.every(isMidnight));
}

/** @param {unknown} value */
function isMidnight(value) {
  return typeof value !== "string" || /T00:00(:00(\.0+)?)?(Z|[+-]\d\d:\d\d)$/.test(value);
}

/**
 * @param {unknown} value
 * @returns {number} its decimals among its first eight digits, or its first two; at most eight
 */
function decimals(value) {
  const number = numberOf(value);
  if (number === null || Number.isInteger(number)) {
    return 0;
  }
  const digits = Math.max(8, Math.floor(Math.log10(Math.abs(number))) + 3);
  const [mantissa, exponent] = Number(number.toPrecision(Math.min(15, digits)))
    .toExponential()
    .split("e");
  return Math.min(8, Math.max(0, (mantissa.split(".")[1]?.length ?? 0) - Number(exponent)));
}

/**
 * @param {number} value
 * @returns {number} with five digits, or two decimals where it has more
 */
function rounded(value) {
  return Math.abs(value) >= 1000 ? Math.round(value * 100) / 100 : Number(value.toPrecision(5));
}

/** @param {unknown} value */
function writeBoolean(value) {
  return value === true ? "yes" : value === false ? "no" : textOf(value);
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
