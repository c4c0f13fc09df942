import { element, section } from "../elements.js";
import { Field } from "../fields.js";
import { plainSchema } from "../schema.js";

/** The arguments of the tool as a form. Sending it calls the tool through the host. */
export class FormPanel {
  /**
   * @param {{kind: string, title?: string}} panel
   * @param {Page} page
   */
  constructor(panel, page) {
    this.page = page;
    this.fields = fieldsOf(page.view.parameters);
    this.button = element(
      "button",
      { type: "button", class: "primary", onclick: () => this.#submit() },
      page.view.title,
    );
    this.message = element("p", { class: "error", role: "alert" });
    const send = element("div", { class: "send" }, this.button, this.message);
    const parts = this.fields.map((field) => field.element);
    // A sandbox may forbid to submit forms, so this one is never submitted.
    const form = element("form", { onkeydown: (event) => this.#press(event) }, ...parts, send);
    this.element = section(panel, form);
  }

  update() {}

  /** @param {Record<string, unknown>} input */
  fill(input) {
    for (const field of this.fields) {
      field.value = input[field.name];
    }
  }

  /** @param {KeyboardEvent} event Enter in a field of one line sends the form */
  #press(event) {
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
      event.preventDefault();
      this.#submit();
    }
  }

  async #submit() {
    const input = this.button.getAttribute("aria-busy") ? null : this.#read();
    if (input) {
      await this.#send(input);
    }
  }

  /** @returns {Record<string, unknown> | null} null where a field is wrong; the first one gets the focus */
  #read() {
    const outcomes = this.fields.map((field) => ({ field, ...field.read() }));
    const wrong = outcomes.find((outcome) => outcome.error);
    wrong?.field.control.focus();
    const given = outcomes.filter((outcome) => "value" in outcome);
    return wrong ? null : Object.fromEntries(given.map(({ field, value }) => [field.name, value]));
  }

  /** @param {Record<string, unknown>} input */
  async #send(input) {
    this.button.setAttribute("aria-busy", "true");
    this.message.textContent = "";
    try {
      this.message.textContent = (await this.page.call(input)) ?? "";
    } finally {
      this.button.removeAttribute("aria-busy");
    }
  }
}

/**
 * @param {any} schema of an object
 * @returns {Field[]}
 */
function fieldsOf(schema) {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(
    ([name, member]) => new Field(name, plainSchema(member, schema), required.has(name)),
  );
}
