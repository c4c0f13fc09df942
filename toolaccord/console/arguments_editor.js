// The arguments of a call, as JSON.

import { element } from "./dom.js";
import { jsonText } from "./values.js";

/** Holds the arguments that a reader edits. */
export class ArgumentsEditor {
  #text;

  /** @param {any} schema @param {() => void} onChange @param {string} label */
  constructor(schema, onChange, label = "Arguments as JSON") {
    this.schema = schema;
    this.#text = /** @type {HTMLTextAreaElement} */ (
      element("textarea", { rows: 8, spellcheck: false, "aria-label": label, oninput: onChange, value: "{}" })
    );
    this.element = element("div", { className: "editor" }, this.#text);
  }

  /** Returns the arguments. Throws SyntaxError. */
  get value() {
    return JSON.parse(this.#text.value || "{}");
  }

  set value(value) {
    this.#text.value = jsonText(value);
  }
}
