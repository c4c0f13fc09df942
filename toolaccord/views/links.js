import { element } from "./elements.js";

/**
 * Makes a text that is an address a link, which the host opens.
 *
 * @param {Column} column
 * @param {string} text
 * @param {Page} page
 * @returns {Node}
 */
export function linkedText(column, text, page) {
  if (column.format !== "text" || !/^https?:\/\/\S+$/i.test(text)) {
    return document.createTextNode(text);
  }
  const open = (/** @type {Event} */ event) => {
    event.preventDefault();
    page.open(text);
  };
  return element("a", { href: text, rel: "noreferrer", onclick: open }, text);
}
