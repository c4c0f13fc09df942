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
    this.#fillForm(value, this.#isForm);
  }

  /** Fills the form, which is shown only if it holds all of the value. @param {any} value @param {boolean} isWanted */
  #fillForm(value, isWanted) {
    for (const field of this.#fields) {
      field.value = memberOf(value, field.name);
    }
    const { given } = this.#read();
    for (const field of this.#fields) {
      field.error.hidden = true;
      field.control.removeAttribute("aria-invalid");
    }
    const names = new Set([...Object.keys(value), ...Object.keys(given)]);
    const lost = [...names].filter((name) => jsonText(memberOf(value, name)) !== jsonText(memberOf(given, name)));
    this.#show(isWanted && lost.length === 0);
    fill(this.#note, this.#fields.length > 0 && lost.length > 0 && `The form cannot hold ${lost.join(", ")}.`);
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
    const { value, wrong } = parseObject(this.#text.value || "{}");
    if (wrong) {
      fill(this.#note, wrong);
    } else {
      this.#fillForm(value, true);
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

/** @param {any} value @param {string} name */
function memberOf(value, name) {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** @param {string} text @returns {{value?: any, wrong?: string}} */
function parseObject(text) {
  try {
    const value = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? { value } : { wrong: "Arguments are an object." };
  } catch (error) {
    return { wrong: `This is no JSON: ${/** @type {Error} */ (error).message}` };
  }
}

/** @param {any} schema of an object @returns {Field[]} */
function listFields(schema) {
  const required = new Set(schema?.required ?? []);
  return Object.entries(schema?.properties ?? {}).map(
    ([name, member]) => new Field(name, plainSchema(member, schema), required.has(name)),
  );
}
