/**
 * Creates an element. Data becomes text, never markup.
 *
 * @param {string} name
 * @param {Record<string, unknown>} [attributes] `on…` members are listeners; null and false leave an attribute out,
 *   apart from `aria-…`, which have the texts true and false
 * @param {...any} children nodes and texts, also in arrays; null, undefined and false are left out
 * @returns {HTMLElement}
 */
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    setAttribute(node, key, value);
  }
  node.append(...present(children));
  return node;
}

/**
 * @param {any[]} children
 * @returns {(Node | string)[]} those that are there, out of their arrays
 */
export function present(children) {
  return children
    .flat(Number.POSITIVE_INFINITY)
    .filter((child) => child !== null && child !== undefined && child !== false);
}

/**
 * @param {HTMLElement} node
 * @param {string} key
 * @param {unknown} value
 */
function setAttribute(node, key, value) {
  if (typeof value === "function") {
    node.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
  } else if (key.startsWith("aria-") && typeof value === "boolean") {
    node.setAttribute(key, String(value));
  } else if (value !== null && value !== undefined && value !== false) {
    node.setAttribute(key, value === true ? "" : String(value));
  }
}

let lastId = 0;

/** @returns {string} an id that no other element of the page has */
export function newId() {
  lastId += 1;
  return `v${lastId}`;
}

/**
 * Frames a panel with its heading.
 *
 * @param {{kind: string, title?: string}} panel
 * @param {...Node} children
 * @returns {HTMLElement}
 */
export function section(panel, ...children) {
  const heading = panel.title ? element("h2", { id: newId() }, panel.title) : null;
  return element("section", { class: panel.kind, "aria-labelledby": heading?.id }, heading, ...children);
}

/** @returns {HTMLElement} the note of a panel whose result has no items */
export function emptyNote() {
  return element("p", { class: "empty" }, "No data");
}
