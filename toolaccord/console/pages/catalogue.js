// A list of things with a search, beside the one that was chosen.

import { element } from "../../views/elements.js";
import { fill } from "../parts/dom.js";

/**
 * @typedef {object} Entry
 * @property {string} name
 * @property {string} href
 * @property {string} title
 * @property {string} text
 * @property {(HTMLElement | null)[]} badges
 */

export class Catalogue {
  #entries;
  #noun;
  #links;
  #count = element("p", { class: "note", role: "status" });

  /** @param {string} noun plural @param {Entry[]} entries */
  constructor(noun, entries) {
    this.#noun = noun;
    this.#entries = entries;
    this.#links = entries.map(makeLink);
    this.search = element("input", {
      type: "search",
      placeholder: `Search ${noun}   /`,
      "aria-label": `Search ${noun}`,
      "aria-keyshortcuts": "/",
      oninput: () => this.#filter(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.#enterList(event),
    });
    const items = this.#links.map((link) => element("li", {}, link));
    this.element = element("div", { class: "catalogue" }, this.search, this.#count, element("ul", {}, items));
    this.#filter();
  }

  /** @param {string} name */
  choose(name) {
    this.#links.forEach((link, index) => {
      if (this.#entries[index].name === name) {
        link.setAttribute("aria-current", "page");
      } else {
        link.removeAttribute("aria-current");
      }
    });
  }

  #filter() {
    const words = /** @type {HTMLInputElement} */ (this.search).value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    this.#entries.forEach((entry, index) => {
      const text = `${entry.name} ${entry.title} ${entry.text}`.toLowerCase();
      const isFound = words.every((word) => text.includes(word));
      /** @type {HTMLElement} */ (this.#links[index].parentElement).hidden = !isFound;
      found += Number(isFound);
    });
    fill(
      this.#count,
      words.length > 0 ? `${found} of ${this.#entries.length} ${this.#noun}` : `${found} ${this.#noun}`,
    );
  }

  /** @param {KeyboardEvent} event */
  #enterList(event) {
    const first = this.#links.find((link) => !link.parentElement?.hidden);
    if (first && (event.key === "Enter" || event.key === "ArrowDown")) {
      event.preventDefault();
      if (event.key === "Enter") {
        first.click();
      } else {
        first.focus();
      }
    }
  }
}

/** @param {Entry} entry */
function makeLink(entry) {
  return element(
    "a",
    { href: entry.href },
    element("span", { class: "name" }, entry.name, " ", entry.badges),
    entry.title !== entry.name && element("span", { class: "title" }, entry.title),
  );
}

/**
 * Puts a list and what was chosen side by side; a narrow page shows one of them.
 *
 * @param {Element} main
 * @param {Catalogue} catalogue
 * @param {HTMLElement} detail
 * @param {string} chosen
 */
export function showSplit(main, catalogue, detail, chosen) {
  catalogue.choose(chosen);
  const kind = chosen ? "split chosen" : "split";
  fill(main, element("div", { class: kind }, element("aside", { "aria-label": "List" }, catalogue.element), detail));
}
