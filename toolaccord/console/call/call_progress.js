// A call that runs: its progress, its questions, and the task that it became.

import { element } from "../../views/elements.js";
import { fill } from "../parts/dom.js";
import { showFault } from "../parts/faults.js";
import { Questions } from "./questions.js";

/** Shows a call that runs, in the place of its result. */
export class CallProgress {
  #app;
  #tool;
  #stop = new AbortController();
  #bar = /** @type {HTMLProgressElement} */ (element("progress", { "aria-label": "Progress" }));
  #text = element("p", { class: "note" }, "Waits for the answer.");
  #task = element("p", { class: "note" });
  #questions = new Questions();
  #taskId = "";

  /** @param {import("../main.js").App} app @param {string} tool */
  constructor(app, tool) {
    this.#app = app;
    this.#tool = tool;
    this.signal = AbortSignal.any([this.#stop.signal, app.caller.signal]);
    this.element = element("div", {}, this.#bar, this.#text, this.#task, this.#questions.element);
  }

  /** Cancels the call, or the task that it became, whose end is still awaited. */
  async cancel() {
    if (!this.#taskId) {
      this.#stop.abort();
      return;
    }
    try {
      await this.#app.caller.cancelTask(this.#taskId);
      this.#questions.dismiss();
    } catch (error) {
      fill(this.#questions.element, showFault(error));
    }
  }

  /** @param {string} message @param {number} [done] @param {number} [total] */
  onProgress(message, done, total) {
    if (done !== undefined && total) {
      this.#bar.max = total;
      this.#bar.value = done;
    }
    const share = done === undefined ? "" : total ? `${done} of ${total}` : String(done);
    fill(this.#text, [share, message].filter(Boolean).join(" · "));
  }

  /** @param {any} task */
  onTask(task) {
    this.#taskId = task.taskId;
    this.#app.tasks.note(this.#tool, task);
    const link = element("a", { href: `#/tasks/${encodeURIComponent(task.taskId)}` }, task.status);
    fill(this.#task, "The call is a task: ", link, ".");
  }

  /** @param {Record<string, any>} requests */
  async answer(requests) {
    this.#bar.hidden = true;
    const answers = await this.#questions.ask(requests, this.signal);
    this.#bar.hidden = false;
    return answers;
  }
}
