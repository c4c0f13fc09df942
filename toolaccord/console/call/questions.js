// Questions of a tool to its caller, in the place of its result.

import { element } from "../../views/elements.js";
import { fill } from "../parts/dom.js";
import { showFault } from "../parts/faults.js";
import { ArgumentsEditor, WrongField } from "./arguments_editor.js";

/** Questions in a place, which are taken back once nobody waits for their answers. */
export class Questions {
  element = element("div");
  /** Takes open questions back. */
  dismiss = () => {};

  /** @param {Record<string, any>} requests @param {AbortSignal} signal @returns {Promise<Record<string, any>>} */
  async ask(requests, signal) {
    /** @type {Promise<Record<string, any>>} */
    const dismissed = new Promise((resolve) => {
      this.dismiss = () => resolve({});
    });
    const answers = await Promise.race([askEach(this.element, requests, signal), dismissed]);
    fill(this.element);
    return answers;
  }
}

/**
 * Puts each question to the reader, and returns the answers by key.
 *
 * @param {Element} place
 * @param {Record<string, any>} requests
 * @param {AbortSignal} signal
 * @returns {Promise<Record<string, any>>}
 */
async function askEach(place, requests, signal) {
  /** @type {Record<string, any>} */
  const answers = {};
  for (const [key, { method, params }] of Object.entries(requests)) {
    if (method !== "elicitation/create" || !params.requestedSchema) {
      throw new Error(`The tool asks for ${method}, which this page cannot answer.`);
    }
    answers[key] = await askQuestion(place, params, signal);
  }
  return answers;
}

/** @param {Element} place @param {any} params @param {AbortSignal} signal */
function askQuestion(place, params, signal) {
  return new Promise((resolve, reject) => {
    const editor = new ArgumentsEditor(params.requestedSchema);
    const fault = element("div");
    const accept = () => {
      try {
        resolve({ action: "accept", content: editor.value });
      } catch (error) {
        fill(fault, !(error instanceof WrongField) && showFault(error));
      }
    };
    const end = (/** @type {string} */ action) =>
      element(
        "button",
        { type: "button", onclick: () => resolve({ action }) },
        action === "decline" ? "Decline" : "Leave open",
      );
    const send = element("button", { type: "button", class: "primary", onclick: accept }, "Answer");
    fill(
      place,
      element(
        "div",
        { class: "question" },
        element("p", {}, params.message),
        editor.element,
        fault,
        element("p", { class: "actions" }, send, end("decline"), end("cancel")),
      ),
    );
    send.focus();
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
