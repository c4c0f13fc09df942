// The arguments of a call: a form of the schema's members, or JSON.

import { element } from "../../views/elements.js";
import { Field } from "../../views/fields.js";
import { plainSchema } from "../../views/schema.js";
import { fill } from "../parts/dom.js";
import { jsonText } from "../parts/values.js";

/** What a reader entered is no value of the schema. */
export class WrongField extends Error {}

/** Holds the arguments that a reader edits. */
export class ArgumentsEditor {
  #text;
  #fields;
  #form = element("div", { class: "form" });
  #note = element("p", { class: "note", role: "status" });
  #isForm = false;

  /**
   * @param {any} schema
   * @param {() => void} [onChange]
   */
  constructor(schema, onChange = () => {}) {
    this.schema = schema;
    this.#fields = listFields(schema);
    this.#text = /** @type {HTMLTextAreaElement} */ (
      element("textarea", { rows: this.#fields.length > 0 ? 8 : 3, spellcheck: "false", "aria-label": "JSON" }, "{}")
    );
    this.toggle = element("button", { type: "button", class: "quiet", onclick: () => this.#switch() });
    fill(
      this.#form,
      this.#fields.map((field) => field.element),
    );
    this.element = element("div", { class: "editor", oninput: onChange }, this.#form, this.#text, this.#note);
    this.#show(this.#fields.length > 0);
    this.toggle.hidden = this.#fields.length === 0;
  }

  /** Returns the arguments. Throws SyntaxError, and WrongField once it has shown what is wrong. */
  get value() {
    if (!this.#isForm) {
      return JSON.parse(this.#text.value || "{}");
    }
    const { given, wrong } = this.#read();
    if (wrong) {
      wrong.control.focus();
      throw new WrongField(`${wrong.name}: ${wrong.error.textContent}`);
    }
    return given;
  }

  /** @param {Record<string, any>} value */
  set value(value) {
    this.#text.value = jsonText(value);
    const names = new Set(this.#fields.map(({ name }) => name));
    const unknown = Object.keys(value).filter((name) => !names.has(name));
    for (const field of this.#fields) {
      field.value = value[field.name];
    }
    this.#show(this.#isForm && unknown.length === 0);
    fill(this.#note, this.#fields.length > 0 && unknown.length > 0 && `The form has no ${unknown.join(", ")}.`);
  }

  /** The values of all fields that hold one, and the first that is wrong. */
  #read() {
    const outcomes = this.#fields.map((field) => ({ field, ...field.read() }));
    const pairs = outcomes.filter((each) => "value" in each).map(({ field, value }) => [field.name, value]);
    return { given: Object.fromEntries(pairs), wrong: outcomes.find((each) => each.error)?.field };
  }

  /** Shows the other form of the same arguments. */
  #switch() {
    fill(this.#note);
    if (this.#isForm) {
      this.#text.value = jsonText(this.#read().given);
      this.#show(false);
      return;
    }
    try {
      const value = JSON.parse(this.#text.value || "{}");
      this.#isForm = true;
      this.value = value;
    } catch (error) {
      fill(this.#note, `This is no JSON: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** @param {boolean} isForm */
  #show(isForm) {
    this.#isForm = isForm;
    this.#form.hidden = !isForm;
    this.#text.hidden = isForm;
    fill(this.toggle, isForm ? "Edit as JSON" : "Edit as a form");
  }
}

/** @param {any} schema of an object @returns {Field[]} */
function listFields(schema) {
  const required = new Set(schema?.required ?? []);
  return Object.entries(schema?.properties ?? {}).map(
    ([name, member]) => new Field(name, plainSchema(member, schema), required.has(name)),
  );
}
