/**
 * Returns what a JSON pointer of a view points to: the value, or null where there is none.
 *
 * With `*`, it is an array with an entry for each item, null where an item has no such member. So columns stay rows.
 *
 * @param {string} pointer such as `/items/0/close`
 * @param {unknown} value
 * @returns {unknown}
 */
export function valueAt(pointer, value) {
  return follow(pointer.split("/").slice(1).map(unescapeStep), value);
}

/**
 * Returns the values of a column, in the order of the items.
 *
 * @param {{pointer: string}} column
 * @param {unknown} value
 * @returns {unknown[]}
 */
export function columnAt(column, value) {
  const found = valueAt(column.pointer, value);
  return Array.isArray(found) ? found : found === null ? [] : [found];
}

/**
 * Returns the rows that columns form, each with a value or null for each column.
 *
 * @param {{pointer: string}[]} columns
 * @param {unknown} value
 * @returns {unknown[][]}
 */
export function rowsAt(columns, value) {
  const values = columns.map((column) => columnAt(column, value));
  const length = values.reduce((most, each) => Math.max(most, each.length), 0);
  return Array.from({ length }, (_, row) => values.map((column) => column[row] ?? null));
}

/**
 * Returns the rows whose first value is readable, in ascending order: some tools answer the newest row first.
 *
 * @param {unknown[][]} rows
 * @param {(value: unknown) => number | null} read
 * @returns {unknown[][]}
 */
export function ascendingRows(rows, read) {
  return rows
    .map((row) => ({ row, at: read(row[0]) ?? Number.NaN }))
    .filter(({ at }) => !Number.isNaN(at))
    .sort((left, right) => left.at - right.at)
    .map(({ row }) => row);
}

/**
 * Returns for each column the function that writes its values.
 *
 * @param {Column[]} columns
 * @param {unknown[][]} rows
 * @param {Format} format
 * @returns {((value: unknown) => string)[]}
 */
export function writersOf(columns, rows, format) {
  const valuesOf = (/** @type {number} */ index) => rows.map((row) => row[index]);
  return columns.map((column, index) => format.column(column, valuesOf(index)));
}

/** @param {string} step */
function unescapeStep(step) {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

/**
 * @param {string[]} steps
 * @param {unknown} value
 * @returns {unknown}
 */
function follow(steps, value) {
  if (steps.length === 0) {
    return value ?? null;
  }
  const [step, ...rest] = steps;
  if (step === "*") {
    const found = Array.isArray(value) ? value.map((item) => follow(rest, item)) : [];
    return rest.includes("*") ? found.flat() : found;
  }
  const has = typeof value === "object" && value !== null && Object.hasOwn(value, step);
  return has ? follow(rest, value[step]) : rest.includes("*") ? [] : null;
}
