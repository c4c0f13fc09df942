// The question for a token. What is typed is no password to a browser, so that it offers to store nothing.

import { element } from "../../views/elements.js";
import { fill } from "./dom.js";

/** The reader gave no token. */
export class NoToken extends Error {
  constructor() {
    super("This server needs a token.");
  }
}

/**
 * Asks for a token.
 *
 * @param {string} challenge the header WWW-Authenticate
 * @param {boolean} isRejected true if the server has rejected a token
 * @returns {Promise<string>}
 */
export function askForToken(challenge, isRejected) {
  const input = /** @type {HTMLInputElement} */ (
    element("input", {
      id: "token-text",
      class: "secret",
      required: true,
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
    })
  );
  const dialog = /** @type {HTMLDialogElement} */ (element("dialog", { "aria-labelledby": "token-title" }));
  fill(dialog, makeForm(dialog, input, challenge, isRejected));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve, reject) => {
    dialog.addEventListener("close", () => {
      const token = input.value.trim();
      input.value = "";
      dialog.remove();
      if (dialog.returnValue === "send" && token) {
        resolve(token);
      } else {
        reject(new NoToken());
      }
    });
  });
}

/** @param {HTMLDialogElement} dialog @param {HTMLInputElement} input @param {string} challenge @param {boolean} isRejected */
function makeForm(dialog, input, challenge, isRejected) {
  const source = /resource_metadata="([^"]*)"/.exec(challenge)?.[1];
  const scopes = /scope="([^"]*)"/.exec(challenge)?.[1];
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    dialog.close("send");
  };
  return element(
    "form",
    { class: "token", onsubmit: submit },
    element("h2", { id: "token-title" }, isRejected ? "The server rejected the token" : "This server needs a token"),
    element("label", { for: "token-text" }, "Token"),
    input,
    element(
      "p",
      { class: "note" },
      "It stays in the memory of this page, and is gone when the page is closed or loaded again.",
    ),
    source &&
      element(
        "p",
        { class: "note" },
        "An authorization server gives tokens, which ",
        element("code", {}, source),
        " names.",
      ),
    scopes && element("p", { class: "note" }, "Scopes: ", element("code", {}, scopes)),
    element(
      "p",
      { class: "actions" },
      element("button", { type: "submit", class: "primary" }, "Use this token"),
      element("button", { type: "button", onclick: () => dialog.close() }, "Not now"),
    ),
  );
}
