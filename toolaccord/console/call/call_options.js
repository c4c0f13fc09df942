// What belongs to a call beside its arguments: the version of the tool, and an idempotency key.

import { element } from "../../views/elements.js";
import { fill } from "../parts/dom.js";

const ABOUT_KEYS = "A repeated call with the same key has no further effect, and gets the first response.";

/** The version that a reader chose, and the key of the call. */
export class CallOptions {
  #tool;
  #onVersion;
  #keyField = /** @type {HTMLInputElement | null} */ (null);
  /** The version to call; empty for the newest. */
  version = "";

  /** @param {any} tool @param {(version: string) => void} onVersion */
  constructor(tool, onVersion) {
    this.#tool = tool;
    this.#onVersion = onVersion;
    const mayFill = !tool.annotations?.readOnlyHint || (tool._meta?.versions ?? []).length > 1;
    this.element = element("div", { class: mayFill ? "options reserved" : "options" });
  }

  /** @param {import("../protocol/contract.js").ToolFacts} facts */
  addFacts({ hasKey }) {
    fill(this.element, this.#makeVersions(), hasKey && this.#makeKey());
    this.renewKey();
  }

  /** The members that the key adds to `_meta`. */
  get meta() {
    return this.#keyField?.value ? { idempotency_key: this.#keyField.value } : {};
  }

  /** Other arguments are another call, with another key. */
  renewKey() {
    if (this.#keyField) {
      this.#keyField.value = randomKey();
    }
  }

  #makeVersions() {
    const { versions = [], deprecated = [], latest } = this.#tool._meta ?? {};
    if (versions.length < 2) {
      return null;
    }
    const labels = new Map([
      [latest, "newest"],
      ...deprecated.map((/** @type {string} */ each) => [each, "deprecated"]),
    ]);
    const options = versions.map((/** @type {string} */ version) =>
      element("option", { value: version }, [version, labels.get(version)].filter(Boolean).join(", ")),
    );
    const select = /** @type {HTMLSelectElement} */ (element("select", {}, options));
    select.addEventListener("change", () => {
      this.version = select.value;
      this.#onVersion(select.value);
    });
    return element("label", {}, "Version ", select);
  }

  #makeKey() {
    const field = /** @type {HTMLInputElement} */ (element("input", { maxlength: 128, spellcheck: "false" }));
    this.#keyField = field;
    const label = element("label", { title: ABOUT_KEYS }, "Idempotency key ", field);
    const renew = element("button", { type: "button", class: "quiet", onclick: () => this.renewKey() }, "New key");
    return element("span", { class: "pair" }, label, renew);
  }
}

/** A random key, also where the page has no secure origin. */
function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
