// The page of tasks: those that calls of this page became, and any other by its id.

import { element } from "../../views/elements.js";
import { isEnded } from "../call/calls.js";
import { Questions } from "../call/questions.js";
import { showResult } from "../call/result.js";
import { fill } from "../parts/dom.js";
import { showFault } from "../parts/faults.js";
import { makeTable } from "../parts/table.js";
import { makeFigures } from "../parts/value_tables.js";
import { timeText } from "../parts/values.js";

/** The tasks that calls of this page became. Their ids are in memory alone: who knows one may see the task. */
export class KnownTasks {
  /** @type {Map<string, {tool: string, task: any}>} */
  #tasks = new Map();

  /** @param {string} tool @param {any} task */
  note(tool, task) {
    this.#tasks.set(task.taskId, { tool, task });
  }

  /** Forgets what another token may not see. */
  forget() {
    this.#tasks.clear();
  }

  list() {
    return [...this.#tasks.values()].reverse();
  }
}

/** @param {import("../main.js").App} app */
export function makeTasksPage(app) {
  return {
    forget: () => app.tasks.forget(),
    /** @param {Element} main @param {string} id @param {AbortSignal} signal ends with the page */
    show: async (main, id, signal) => {
      const place = element("div");
      fill(
        main,
        element("article", { class: "detail alone" }, element("h1", { tabindex: -1 }, "Tasks"), makeSearch(), place),
      );
      if (id) {
        follow(app, id, place, signal);
      } else {
        fill(place, showKnown(app));
      }
    },
  };
}

function makeSearch() {
  const input = /** @type {HTMLInputElement} */ (
    element("input", { spellcheck: "false", "aria-label": "Id of a task", placeholder: "Id of a task" })
  );
  const open = (/** @type {Event} */ event) => {
    event.preventDefault();
    location.hash = `#/tasks/${encodeURIComponent(input.value.trim())}`;
  };
  return element("form", { class: "actions", onsubmit: open }, input, element("button", { type: "submit" }, "Look up"));
}

/** @param {import("../main.js").App} app */
function showKnown(app) {
  const link = (/** @type {any} */ row) =>
    element("a", { href: `#/tasks/${encodeURIComponent(row.task.taskId)}` }, `${row.task.taskId.slice(0, 12)}…`);
  const columns = [
    { label: "Task", value: (/** @type {any} */ row) => row.task.taskId, show: link },
    { label: "Tool", value: (/** @type {any} */ row) => row.tool },
    { label: "Status", value: (/** @type {any} */ row) => row.task.status },
    { label: "Created", value: (/** @type {any} */ row) => timeText(row.task.createdAt) },
    { label: "Changed", value: (/** @type {any} */ row) => timeText(row.task.lastUpdatedAt) },
  ];
  const known = app.tasks.list();
  return known.length > 0
    ? element("section", { class: "card" }, makeTable("Tasks of this page", columns, known))
    : element("p", { class: "note" }, "No call of this page has become a task yet.");
}

/** @param {import("../main.js").App} app @param {string} id @param {Element} place @param {AbortSignal} signal */
async function follow(app, id, place, signal) {
  const facts = element("div");
  const questions = new Questions();
  const outcome = element("div");
  const stop = async () => {
    try {
      await app.caller.cancelTask(id);
      questions.dismiss();
    } catch (error) {
      fill(outcome, showFault(error));
    }
  };
  const cancel = element("button", { type: "button", onclick: stop }, "Cancel the task");
  const watcher = {
    onProgress: () => {},
    onTask: (/** @type {any} */ task) => {
      fill(facts, showFacts(task));
      cancel.toggleAttribute("disabled", isEnded(task));
    },
    answer: (/** @type {Record<string, any>} */ requests) => questions.ask(requests, signal),
  };
  fill(place, facts, questions.element, element("p", { class: "actions" }, cancel), outcome);
  try {
    const result = await app.caller.follow(await app.caller.getTask(id, signal), watcher, signal);
    fill(outcome, showResult(result, null));
  } catch (error) {
    fill(outcome, !signal.aborted && showFault(error));
  }
}

/** @param {any} task */
function showFacts(task) {
  const { progress, total } = task._meta?.progress ?? {};
  const done = progress === undefined ? "none reported" : total ? `${progress} of ${total}` : progress;
  /** @type {[string, any][]} */
  const figures = [
    ["status", task.status],
    ["message", task.statusMessage ?? "–"],
    ["progress", done],
    ["created", timeText(task.createdAt)],
    ["changed", timeText(task.lastUpdatedAt)],
    ["kept for", `${Math.round(task.ttlMs / 1000)} s`],
  ];
  return makeFigures(figures);
}
