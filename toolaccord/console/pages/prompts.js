// The page of prompts: their arguments, and the messages that they give.

import { element } from "../../views/elements.js";
import { showBlock } from "../call/result.js";
import { fill } from "../parts/dom.js";
import { showFault } from "../parts/faults.js";
import { Catalogue, showSplit } from "./catalogue.js";

/** @param {import("../main.js").App} app */
export function makePromptsPage(app) {
  /** @type {Promise<{prompts: any[], catalogue: Catalogue}> | null} */
  let loading = null;
  const load = async () => {
    const prompts = await app.client.list("prompts/list", "prompts");
    return { prompts, catalogue: new Catalogue("prompts", prompts.map(describe)) };
  };
  return {
    forget: () => {
      loading = null;
    },
    /** @param {Element} main @param {string} name @param {AbortSignal} signal */
    show: async (main, name, signal) => {
      loading ??= load();
      const { prompts, catalogue } = await loading.catch((error) => {
        loading = null;
        throw error;
      });
      signal.throwIfAborted();
      const prompt = prompts.find((each) => each.name === name);
      showSplit(main, catalogue, prompt ? showPrompt(app, prompt) : showNothing(prompts.length, name), name);
    },
  };
}

/** @param {any} prompt @returns {import("./catalogue.js").Entry} */
function describe(prompt) {
  const href = `#/prompts/${encodeURIComponent(prompt.name)}`;
  return { name: prompt.name, href, title: prompt.title ?? prompt.name, text: prompt.description ?? "", badges: [] };
}

/** @param {number} count @param {string} name */
function showNothing(count, name) {
  const text = name
    ? `The server has no prompt ${name}.`
    : count > 0
      ? "Choose one to get its messages."
      : "The server has none.";
  return element(
    "article",
    { class: "detail overview" },
    element("h1", { tabindex: -1 }, "Prompts"),
    element("p", {}, text),
  );
}

/** @param {import("../main.js").App} app @param {any} prompt */
function showPrompt(app, prompt) {
  const messages = element(
    "section",
    { class: "card", "aria-label": "Messages", "aria-live": "polite" },
    element("p", { class: "note" }, "Not asked for yet."),
  );
  const inputs = (prompt.arguments ?? []).map((/** @type {any} */ each) => ({
    argument: each,
    input: /** @type {HTMLInputElement} */ (
      element("input", { name: each.name, required: each.required, spellcheck: "false" })
    ),
  }));
  let asking = new AbortController();
  const get = async (/** @type {Event} */ event) => {
    event.preventDefault();
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    const given = inputs.filter((/** @type {any} */ { input }) => input.value !== "");
    const values = Object.fromEntries(given.map((/** @type {any} */ { input }) => [input.name, input.value]));
    try {
      const result = await app.client.request("prompts/get", { name: prompt.name, arguments: values }, { signal });
      fill(messages, result.messages.map(showMessage));
    } catch (error) {
      if (!signal.aborted) {
        fill(messages, showFault(error));
      }
    }
  };
  return element(
    "article",
    { class: "detail" },
    element("a", { class: "back", href: "#/prompts" }, "‹ Prompts"),
    element(
      "h1",
      { tabindex: -1 },
      prompt.title ?? "",
      " ",
      element("code", { class: prompt.title ? "" : "sole" }, prompt.name),
    ),
    element("p", { class: "description" }, prompt.description),
    element(
      "form",
      { class: "card fields", onsubmit: get },
      inputs.map(showArgument),
      element("p", { class: "actions" }, element("button", { type: "submit", class: "primary" }, "Get")),
    ),
    messages,
  );
}

/** @param {{argument: any, input: HTMLInputElement}} field */
function showArgument({ argument, input }) {
  const title = argument.title ?? argument.name;
  return element(
    "label",
    {},
    argument.required ? `${title}, required` : title,
    input,
    argument.description && element("span", { class: "note" }, argument.description),
  );
}

/** @param {any} message */
function showMessage(message) {
  return element("div", { class: "message" }, element("h2", {}, message.role), showBlock(message.content));
}
