// Elements of the page. Data become text, never markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Makes an element. Members of `properties` are properties, listeners (`onclick`), or attributes (`aria-…`, `role`).
 * Children are nodes or texts; those that are null, false or undefined are left out.
 *
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...any} children
 * @returns {HTMLElement}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    setProperty(made, name, value);
  }
  made.append(...present(children));
  return made;
}

/**
 * Makes an element of SVG with attributes.
 *
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...any} children
 */
export function drawing(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, String(value));
  }
  made.append(...present(children));
  return made;
}

/**
 * Puts children in place of all others.
 *
 * @param {Element} parent
 * @param {...any} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren(...present(children));
}

/** Tells readers of screens what has changed. @param {string} text */
export function announce(text) {
  fill(/** @type {Element} */ (document.getElementById("live")), text);
}

/** @param {any[]} children */
function present(children) {
  return children
    .flat(Number.POSITIVE_INFINITY)
    .filter((child) => child !== null && child !== undefined && child !== false);
}

/** @param {HTMLElement} made @param {string} name @param {any} value */
function setProperty(made, name, value) {
  if (value === null || value === undefined) {
    return;
  }
  if (name.startsWith("on")) {
    made.addEventListener(name.slice(2), value);
  } else if (name.includes("-") || name === "role" || name === "for" || name === "list") {
    made.setAttribute(name, value);
  } else {
    /** @type {any} */ (made)[name] = value;
  }
}
