// Parts of the page. Data become text, never markup.

import { present } from "../../views/elements.js";

const SVG = "http://www.w3.org/2000/svg";

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
