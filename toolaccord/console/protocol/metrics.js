// Metrics in Prometheus's text format, and what follows from them.

/**
 * @typedef {{name: string, labels: Record<string, string>, value: number}} Sample
 * @typedef {Map<string, Sample[]>} Samples samples by the name of their metric
 */

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** @param {string} text @returns {Samples} */
export function parseMetrics(text) {
  /** @type {Samples} */
  const samples = new Map();
  for (const line of text.split("\n")) {
    const [, name, labels = "", value] = LINE.exec(line) ?? [];
    if (name !== undefined) {
      const list = samples.get(name) ?? [];
      list.push({ name, labels: parseLabels(labels), value: Number(value.replace("Inf", "Infinity")) });
      samples.set(name, list);
    }
  }
  return samples;
}

/** @param {string} text */
function parseLabels(text) {
  const pairs = [...text.matchAll(LABEL)].map(([, name, value]) => [name, value.replace(/\\(.)/g, unescaped)]);
  return Object.fromEntries(pairs);
}

/** @param {string} _ @param {string} character */
function unescaped(_, character) {
  return character === "n" ? "\n" : character;
}

/**
 * Returns the sum of the samples whose labels have the given values.
 *
 * @param {Samples} samples
 * @param {string} name
 * @param {Record<string, string>} [labels]
 */
export function total(samples, name, labels = {}) {
  return select(samples, name, labels).reduce((sum, { value }) => sum + value, 0);
}

/** @param {Samples} samples @param {string} name @param {Record<string, string>} [labels] */
export function select(samples, name, labels = {}) {
  const wanted = Object.entries(labels);
  return (samples.get(name) ?? []).filter((each) => wanted.every(([label, value]) => each.labels[label] === value));
}

/**
 * Returns the cumulative buckets of a histogram, summed over all other labels, as pairs of bound and count.
 *
 * @param {Samples} samples
 * @param {string} name
 * @param {Record<string, string>} labels
 * @returns {[number, number][]}
 */
export function buckets(samples, name, labels) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const { labels: each, value } of select(samples, `${name}_bucket`, labels)) {
    const bound = Number(each.le.replace("+Inf", "Infinity"));
    counts.set(bound, (counts.get(bound) ?? 0) + value);
  }
  return [...counts].sort(([one], [other]) => one - other);
}

/**
 * Returns what came between two states of a histogram; all of it if the server was started between them.
 *
 * @param {[number, number][]} before
 * @param {[number, number][]} after
 * @returns {[number, number][]}
 */
export function since(before, after) {
  const earlier = new Map(before);
  const differences = after.map(
    ([bound, count]) => /** @type {[number, number]} */ ([bound, count - (earlier.get(bound) ?? 0)]),
  );
  return differences.some(([, count]) => count < 0) ? after : differences;
}

/**
 * Returns a quantile as Prometheus does: linear between bounds; NaN without observations.
 *
 * @param {number} share
 * @param {[number, number][]} cumulative
 */
export function quantile(share, cumulative) {
  const count = cumulative.at(-1)?.[1] ?? 0;
  if (count === 0) {
    return Number.NaN;
  }
  const rank = share * count;
  const index = cumulative.findIndex(([, below]) => below >= rank);
  const [bound, below] = cumulative[index];
  const [lower, before] = index === 0 ? [0, 0] : cumulative[index - 1];
  return bound === Number.POSITIVE_INFINITY ? lower : lower + ((bound - lower) * (rank - before)) / (below - before);
}
