import { element, newId } from "./elements.js";

/** A field of a form: one member of the arguments. */
export class Field {
  /**
   * @param {string} name
   * @param {any} schema without references
   * @param {boolean} required
   */
  constructor(name, schema, required) {
    this.name = name;
    this.schema = schema;
    this.required = required;
    this.isNeeded = required && !schema.nullable;
    this.id = newId();
    this.kind = kindOf(schema);
    this.control = this.#control();
    this.error = element("p", { class: "error", id: `${this.id}-error`, hidden: true });
    this.element = this.#element();
    this.value = schema.default;
  }

  /** @param {unknown} value */
  set value(value) {
    const control = /** @type {any} */ (this.control);
    if (value === undefined || value === null) {
      control.value = "";
    } else if (this.kind === "json") {
      control.value = JSON.stringify(value, null, 2);
    } else {
      control.value = this.kind === "choice" ? JSON.stringify(value) : String(value);
    }
  }

  /**
   * Reads the value. It shows what is wrong with it beside the field.
   *
   * @returns {{value?: unknown, error?: string}} without a value where an optional field is empty
   */
  read() {
    const control = /** @type {HTMLInputElement} */ (this.control);
    const outcome = this.#check(control);
    this.error.hidden = !outcome.error;
    this.error.textContent = outcome.error ?? "";
    control.setAttribute("aria-invalid", outcome.error ? "true" : "false");
    return outcome;
  }

  /** @param {HTMLInputElement} control */
  #check(control) {
    if (control.value === "" && !control.validity.badInput) {
      return this.#absent();
    }
    if (!control.validity.valid) {
      return { error: control.validationMessage };
    }
    const { pattern, multipleOf } = this.schema;
    if (multipleOf && control.type === "number" && !isMultiple(Number(control.value), multipleOf)) {
      return { error: `Enter a multiple of ${multipleOf}` };
    }
    if (this.kind === "text" && pattern && !matches(pattern, control.value)) {
      return { error: `Enter a text that matches ${pattern}` };
    }
    return parseValue(this.kind, control.value);
  }

  #absent() {
    if (!this.required) {
      return {};
    }
    return this.schema.nullable ? { value: null } : { error: "Enter a value" };
  }

  #control() {
    const shared = {
      id: this.id,
      name: this.name,
      "aria-required": this.isNeeded,
      "aria-describedby": this.#describedBy(),
    };
    if (this.kind === "choice") {
      return element("select", shared, ...choices(this.schema, this.isNeeded));
    }
    if (this.kind === "json") {
      return element("textarea", { ...shared, rows: 3, spellcheck: "false" });
    }
    return element("input", { ...shared, ...inputAttributes(this.kind, this.schema), autocomplete: "off" });
  }

  #describedBy() {
    return this.schema.description ? `${this.id}-error ${this.id}-about` : `${this.id}-error`;
  }

  #element() {
    const { description, title } = this.schema;
    const mark = this.isNeeded ? null : element("small", {}, " optional");
    const about = description ? element("p", { class: "about", id: `${this.id}-about` }, description) : null;
    const label = element("label", { for: this.id }, title ?? wordsOf(this.name), mark);
    return element("div", { class: `field ${this.kind}` }, label, this.control, about, this.error);
  }
}

/**
 * @param {any} schema
 * @returns {"choice" | "number" | "integer" | "date" | "text" | "json"}
 */
function kindOf({ type, enum: values, const: constant, format }) {
  if (values || constant !== undefined || type === "boolean") {
    return "choice";
  }
  if (type === "number" || type === "integer") {
    return type;
  }
  return type !== "string" ? "json" : format === "date" ? "date" : "text";
}

/**
 * @param {string} kind
 * @param {string} text
 * @returns {{value?: unknown, error?: string}}
 */
function parseValue(kind, text) {
  if (kind === "number" || kind === "integer") {
    return { value: Number(text) };
  }
  if (kind !== "json" && kind !== "choice") {
    return { value: text };
  }
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) {
      return { error: `Enter JSON: ${error.message}` };
    }
    throw error;
  }
}

/**
 * @param {any} schema
 * @param {boolean} required
 */
function choices({ enum: values, const: constant, type }, required) {
  const all = constant !== undefined ? [constant] : (values ?? (type === "boolean" ? [true, false] : []));
  const options = all
    .filter((value) => value !== null)
    .map((value) =>
      element("option", { value: JSON.stringify(value) }, type === "boolean" ? (value ? "yes" : "no") : String(value)),
    );
  return [element("option", { value: "" }, required ? "Choose …" : "–"), ...options];
}

/**
 * @param {string} kind
 * @param {any} schema
 */
function inputAttributes(kind, schema) {
  if (kind === "number" || kind === "integer") {
    // A step counts from the minimum, but multipleOf from zero.
    return { type: "number", step: kind === "integer" ? 1 : "any", min: schema.minimum, max: schema.maximum };
  }
  if (kind === "date") {
    return { type: "date" };
  }
  const { minLength: minlength, maxLength: maxlength, format, examples } = schema;
  const example = format === "date-time" ? "2026-01-31T12:00:00Z" : undefined;
  return { type: "text", minlength, maxlength, placeholder: examples?.[0] ?? example };
}

/**
 * @param {number} value
 * @param {number} factor
 * @returns {boolean} also for decimals, which floating point holds inexactly
 */
function isMultiple(value, factor) {
  const quotient = value / factor;
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient));
}

/**
 * Returns whether a text fits. An input's own attribute would read patterns by other rules: with the flag `v`.
 *
 * @param {string} pattern of JSON Schema; one that JavaScript does not know is left to the server
 * @param {string} text
 */
function matches(pattern, text) {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return true;
    }
    throw error;
  }
}

/** @param {string} name such as `start_date` or `startDate` */
function wordsOf(name) {
  const words = name
    .replaceAll("_", " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
