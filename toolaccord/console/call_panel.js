// Arguments on one side, the result on the other.

import { ArgumentsEditor, WrongField } from "./arguments_editor.js";
import { announce, element, fill } from "./dom.js";
import { explain, showFault } from "./faults.js";
import { askQuestions } from "./questions.js";
import { errorOf, jsonOf, showResult } from "./result.js";
import { durationText, jsonText, shorten } from "./values.js";

/** @typedef {import("./contract.js").ToolFacts} ToolFacts */

export class CallPanel {
  #app;
  #tool;
  /** @type {ToolFacts | null} */
  #facts = null;
  #editor;
  #place = element("div", { className: "editors" });
  #mode = element("span");
  #examples = element("div", { className: "examples", role: "group", "aria-label": "Examples" });
  #options = element("div", { className: "options" });
  #result = element("div", { className: "outcome" }, element("p", { className: "note" }, "Nothing was called yet."));
  #time = element("span", { className: "time" });
  #key = "";
  /** @type {AbortController | null} */
  #running = null;
  #version = "";

  /** @param {import("./main.js").App} app @param {any} tool */
  constructor(app, tool) {
    this.#app = app;
    this.#tool = tool;
    this.#editor = this.#makeEditor(tool.inputSchema);
    const writes = !tool.annotations?.readOnlyHint;
    this.#options.classList.toggle("reserved", writes || (tool._meta?.versions ?? []).length > 1);
    this.call = element(
      "button",
      { type: "submit", className: writes ? "primary writes" : "primary" },
      writes ? "Call, and write" : "Call",
    );
    this.cancel = element(
      "button",
      { type: "button", disabled: true, onclick: () => this.#running?.abort() },
      "Cancel",
    );
    const form = element(
      "form",
      { className: "card arguments", noValidate: true, "aria-label": "Call" },
      element("div", { className: "head" }, element("h2", {}, "Arguments"), this.#mode),
      this.#examples,
      this.#place,
      this.#options,
      element("p", { className: "actions" }, this.call, this.cancel, this.#time, element("kbd", {}, "Ctrl Enter")),
    );
    form.addEventListener("submit", (event) => this.#submit(event));
    form.addEventListener(
      "keydown",
      (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && this.#submit(event),
    );
    this.element = element(
      "div",
      { className: "call" },
      form,
      element(
        "section",
        { className: "card result", "aria-label": "Result" },
        element("h2", {}, "Result"),
        this.#result,
      ),
    );
  }

  /** Adds what the OpenAPI document says. @param {ToolFacts} facts */
  addFacts(facts) {
    this.#facts = facts;
    const buttons = facts.examples.map((example) =>
      element(
        "button",
        {
          type: "button",
          className: "quiet",
          title: shorten(jsonText(example.arguments)),
          onclick: () => this.#take(example),
        },
        example.title,
      ),
    );
    fill(
      this.#examples,
      buttons.length > 0 ? buttons : element("span", { className: "note" }, "The contract has no examples."),
    );
    fill(this.#options, this.#makeVersions(), facts.hasKey && this.#makeKey());
  }

  /** @param {any} schema */
  #makeEditor(schema) {
    const editor = new ArgumentsEditor(schema, () => this.#renewKey());
    fill(this.#place, editor.element);
    fill(this.#mode, editor.toggle);
    return editor;
  }

  /** @param {{arguments: any}} example */
  #take(example) {
    this.#editor.value = example.arguments;
    this.#renewKey();
    this.call.focus();
  }

  #makeVersions() {
    const { versions = [], deprecated = [], latest } = this.#tool._meta ?? {};
    if (versions.length < 2) {
      return null;
    }
    const options = versions.map((/** @type {string} */ version) =>
      element(
        "option",
        { value: version },
        deprecated.includes(version) ? `${version}, deprecated` : version === latest ? `${version}, newest` : version,
      ),
    );
    const select = element(
      "select",
      { onchange: () => this.#choose(/** @type {HTMLSelectElement} */ (select).value) },
      options,
    );
    return element("label", {}, "Version ", select);
  }

  /** @param {string} version */
  #choose(version) {
    this.#version = version;
    const schema = version === this.#tool._meta.latest ? this.#tool.inputSchema : this.#facts?.schemas[version];
    this.#editor = this.#makeEditor(schema ?? {});
  }

  #makeKey() {
    const input = /** @type {HTMLInputElement} */ (
      element("input", { maxLength: 128, spellcheck: false, oninput: () => (this.#key = input.value) })
    );
    this.keyInput = input;
    this.#renewKey();
    const label = element(
      "label",
      { title: "A repeated call with the same key has no further effect, and gets the first response." },
      "Idempotency key ",
      input,
    );
    return element(
      "span",
      {},
      label,
      element("button", { type: "button", className: "quiet", onclick: () => this.#renewKey() }, "New key"),
    );
  }

  /** Other arguments are another call. */
  #renewKey() {
    if (this.keyInput) {
      this.#key = randomId();
      this.keyInput.value = this.#key;
    }
  }

  /** @param {Event} event */
  async #submit(event) {
    event.preventDefault();
    if (this.#running) {
      return;
    }
    let values;
    try {
      values = this.#editor.value;
    } catch (error) {
      if (error instanceof WrongField) {
        announce(error.message);
      } else {
        fill(this.#result, showFault(error));
      }
      return;
    }
    await this.#run(values);
  }

  /** @param {any} values */
  async #run(values) {
    this.#running = new AbortController();
    const started = performance.now();
    const clock = setInterval(() => fill(this.#time, durationText((performance.now() - started) / 1000)), 100);
    this.#setBusy(true);
    try {
      const result = await this.#call(values, this.#running.signal);
      const view = this.#app.views.maker(this.#tool, values, result);
      fill(this.#result, showResult(result, view), showMeta(result));
      announce(result.isError ? `Error ${errorOf(jsonOf(result)).code}` : "The result is there.");
    } catch (error) {
      fill(this.#result, showFault(error));
      announce(explain(error).text);
    } finally {
      clearInterval(clock);
      fill(this.#time, durationText((performance.now() - started) / 1000));
      this.#running = null;
      this.#setBusy(false);
    }
  }

  /** @param {any} values @param {AbortSignal} signal */
  #call(values, signal) {
    const bar = /** @type {HTMLProgressElement} */ (element("progress", { "aria-label": "Progress" }));
    const text = element("p", { className: "note" }, "Waits for the answer.");
    const task = element("p", { className: "note" });
    const questions = element("div");
    fill(this.#result, bar, text, task, questions);
    const request = { name: this.#tool.name, arguments: values, ...(this.#version && { version: this.#version }) };
    const watcher = {
      onProgress: (/** @type {string} */ message, /** @type {number=} */ done, /** @type {number=} */ total) =>
        showProgress(bar, text, message, done, total),
      onTask: (/** @type {any} */ state) => {
        this.#app.tasks.note(this.#tool.name, state);
        fill(
          task,
          "The call is a task: ",
          element("a", { href: `#/tasks/${encodeURIComponent(state.taskId)}` }, state.status),
          ".",
        );
      },
      answer: async (/** @type {any} */ requests) => {
        bar.hidden = true;
        const answers = await askQuestions(questions, requests, signal);
        bar.hidden = false;
        return answers;
      },
    };
    const meta = this.#key ? { idempotency_key: this.#key } : {};
    return this.#app.caller.call(request, watcher, { signal, meta, schema: this.#editor.schema });
  }

  /** @param {boolean} isBusy */
  #setBusy(isBusy) {
    /** @type {HTMLButtonElement} */ (this.call).disabled = isBusy;
    /** @type {HTMLButtonElement} */ (this.cancel).disabled = !isBusy;
    this.#result.setAttribute("aria-busy", String(isBusy));
  }
}

/** @param {HTMLProgressElement} bar @param {HTMLElement} text @param {string} message @param {number} [done] @param {number} [total] */
function showProgress(bar, text, message, done, total) {
  if (done !== undefined && total) {
    bar.max = total;
    bar.value = done;
  }
  const share = done === undefined ? "" : total ? `${done} of ${total}` : String(done);
  fill(text, [share, message].filter(Boolean).join(" · "));
}

/** @param {any} result */
function showMeta(result) {
  const { corr_id, deprecated_on, sunset_on, successor } = result._meta ?? {};
  const end = sunset_on ? `, and ends after ${sunset_on}` : "";
  return [
    deprecated_on &&
      element(
        "p",
        { className: "warning" },
        `This version is deprecated since ${deprecated_on}${end}: call ${successor}.`,
      ),
    corr_id &&
      element("p", { className: "note" }, "Correlation id ", element("code", {}, corr_id), ", as the log has it."),
  ];
}

/** A random id, also where the page has no secure origin. */
function randomId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
