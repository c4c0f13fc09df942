// Arguments on one side, the result on the other.

import { element } from "../../views/elements.js";
import { announce, fill } from "../parts/dom.js";
import { explain, showFault } from "../parts/faults.js";
import { durationText, jsonText, shorten } from "../parts/values.js";
import { ArgumentsEditor, WrongField } from "./arguments_editor.js";
import { CallOptions } from "./call_options.js";
import { CallProgress } from "./call_progress.js";
import { errorOf, jsonOf, showResult } from "./result.js";

/** @typedef {import("../protocol/contract.js").ToolFacts} ToolFacts */

export class CallPanel {
  #app;
  #tool;
  #options;
  #editor;
  #call;
  /** @type {ToolFacts | null} */
  #facts = null;
  #place = element("div");
  #mode = element("span");
  #examples = element("div", { class: "examples", role: "group", "aria-label": "Examples" });
  #result = element("div", {}, element("p", { class: "note" }, "Nothing was called yet."));
  #time = element("span", { class: "time" });
  #cancel = element("button", { type: "button", disabled: true, onclick: () => this.#progress?.cancel() }, "Cancel");
  /** @type {CallProgress | null} */
  #progress = null;
  /** @type {{values: any, result: any} | null} */
  #last = null;

  /** @param {import("../main.js").App} app @param {any} tool */
  constructor(app, tool) {
    this.#app = app;
    this.#tool = tool;
    this.#options = new CallOptions(tool, (version) => this.#choose(version));
    this.#editor = this.#makeEditor(tool.inputSchema);
    this.#call = makeCallButton(!tool.annotations?.readOnlyHint);
    const title = element("h2", {}, "Result");
    const result = element("section", { class: "card result", "aria-label": "Result" }, title, this.#result);
    this.element = element("div", { class: "call" }, this.#makeForm(), result);
  }

  /** Adds what the OpenAPI document says. @param {ToolFacts} facts */
  addFacts(facts) {
    this.#facts = facts;
    const buttons = facts.examples.map((example) => this.#makeExample(example));
    const none = element("span", { class: "note" }, "The contract has no examples.");
    fill(this.#examples, buttons.length > 0 ? buttons : none);
    this.#options.addFacts(facts);
  }

  /** Shows the last result anew, since the frame of a view does not outlive its page. */
  refresh() {
    if (this.#last && !this.#progress) {
      this.#fillResult(this.#last);
    }
  }

  #makeForm() {
    const form = element(
      "form",
      { class: "card arguments", noValidate: true, "aria-label": "Call" },
      element("div", { class: "head" }, element("h2", {}, "Arguments"), this.#mode),
      this.#examples,
      this.#place,
      this.#options.element,
      element("p", { class: "actions" }, this.#call, this.#cancel, this.#time, element("kbd", {}, "Ctrl Enter")),
    );
    form.addEventListener("submit", (event) => this.#submit(event));
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        this.#submit(event);
      }
    });
    return form;
  }

  /** @param {any} schema */
  #makeEditor(schema) {
    const editor = new ArgumentsEditor(schema, () => this.#options.renewKey());
    fill(this.#place, editor.element);
    fill(this.#mode, editor.toggle);
    return editor;
  }

  /** @param {ToolFacts["examples"][0]} example */
  #makeExample(example) {
    const take = () => {
      this.#editor.value = example.arguments;
      this.#options.renewKey();
      this.#call.focus();
    };
    const title = shorten(jsonText(example.arguments));
    return element("button", { type: "button", class: "quiet", title, onclick: take }, example.title);
  }

  /** @param {string} version */
  #choose(version) {
    const schema = version === this.#tool._meta.latest ? this.#tool.inputSchema : this.#facts?.schemas[version];
    this.#editor = this.#makeEditor(schema ?? {});
    this.#options.renewKey();
  }

  /** @param {Event} event */
  async #submit(event) {
    event.preventDefault();
    if (this.#progress) {
      return;
    }
    try {
      const values = this.#editor.value;
      await this.#run(values);
    } catch (error) {
      this.#report(error);
    }
  }

  /** @param {any} error */
  #report(error) {
    if (!(error instanceof WrongField)) {
      this.#last = null;
      fill(this.#result, showFault(error));
    }
    announce(explain(error).text);
  }

  /** @param {any} values */
  async #run(values) {
    const progress = new CallProgress(this.#app, this.#tool.name);
    this.#progress = progress;
    fill(this.#result, progress.element);
    const started = performance.now();
    const showTime = () => fill(this.#time, durationText((performance.now() - started) / 1000));
    const clock = setInterval(showTime, 100);
    this.#setBusy(true);
    try {
      this.#show(values, await this.#send(values, progress));
    } finally {
      clearInterval(clock);
      showTime();
      this.#progress = null;
      this.#setBusy(false);
    }
  }

  /** @param {any} values @param {CallProgress} progress */
  #send(values, progress) {
    const { version, meta } = this.#options;
    const request = { name: this.#tool.name, arguments: values, ...(version && { version }) };
    return this.#app.caller.call(request, progress, { signal: progress.signal, meta, schema: this.#editor.schema });
  }

  /** @param {any} values @param {any} result */
  #show(values, result) {
    this.#last = { values, result };
    this.#fillResult(this.#last);
    showBelow(this.#result);
    announce(result.isError ? `Error ${errorOf(jsonOf(result)).code}` : "The result is there.");
  }

  /** @param {{values: any, result: any}} last */
  #fillResult({ values, result }) {
    fill(this.#result, showResult(result, this.#app.views.maker(this.#tool, values, result)), showMeta(result));
    this.#app.views.closeUnseen();
  }

  /** @param {boolean} isBusy */
  #setBusy(isBusy) {
    this.#call.disabled = isBusy;
    /** @type {HTMLButtonElement} */ (this.#cancel).disabled = !isBusy;
    this.#result.setAttribute("aria-busy", String(isBusy));
  }
}

/** Scrolls to what a narrow page has below its end. @param {HTMLElement} part */
function showBelow(part) {
  if (part.getBoundingClientRect().top > innerHeight - 100) {
    part.parentElement?.scrollIntoView();
  }
}

/** @param {boolean} writes */
function makeCallButton(writes) {
  const [className, text] = writes ? ["primary writes", "Call, and write"] : ["primary", "Call"];
  return /** @type {HTMLButtonElement} */ (element("button", { type: "submit", class: className }, text));
}

/** @param {any} result */
function showMeta(result) {
  const { corr_id, deprecated_on, sunset_on, successor } = result._meta ?? {};
  const end = sunset_on ? `, and ends after ${sunset_on}` : "";
  const warning = `This version is deprecated since ${deprecated_on}${end}: call ${successor}.`;
  return [
    deprecated_on && element("p", { class: "warning" }, warning),
    corr_id && element("p", { class: "note" }, "Correlation id ", element("code", {}, corr_id), ", as in the log."),
  ];
}
