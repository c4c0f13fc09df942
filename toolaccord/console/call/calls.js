// One call of a tool, from its start to its end: progress, questions, a task that it becomes, a cancellation.

import { ProtocolError } from "../protocol/mcp.js";

/**
 * @typedef {object} Watcher
 * @property {(text: string, done?: number, total?: number) => void} onProgress
 * @property {(task: any) => void} onTask is called with each state of a task
 * @property {(requests: Record<string, any>) => Promise<Record<string, any>>} answer answers questions
 * @typedef {{name: string, arguments: any, version?: string}} Request
 */

const MAX_ROUNDS = 20;
const SHORTEST_POLL_MS = 250;

/** Calls tools. */
export class Caller {
  #client;
  #stop = new AbortController();

  /** @param {import("../protocol/mcp.js").McpClient} client */
  constructor(client) {
    this.#client = client;
  }

  /** Ends with the token of the reader. */
  get signal() {
    return this.#stop.signal;
  }

  /** Ends all calls of the page, whose token was forgotten. */
  abort() {
    this.#stop.abort();
    this.#stop = new AbortController();
  }

  /**
   * Returns the result of a call, after all its questions, and of the task that it became.
   *
   * @param {Request} request
   * @param {Watcher} watcher
   * @param {{signal: AbortSignal, schema: any, meta: Record<string, any>}} options
   */
  async call(request, watcher, options) {
    /** @type {Record<string, any>} */
    let answers = {};
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const result = await this.#client.request(
        "tools/call",
        { ...request, ...answers },
        {
          ...options,
          onProgress: ({ progress, total, message }) => watcher.onProgress(message ?? "", progress, total),
        },
      );
      if (result.resultType === "task") {
        return this.follow(result, watcher, options.signal);
      }
      if (result.resultType !== "input_required") {
        return result;
      }
      const inputResponses = result.inputRequests ? await watcher.answer(result.inputRequests) : {};
      answers = { inputResponses, ...(result.requestState && { requestState: result.requestState }) };
    }
    throw new Error(`The tool asked more than ${MAX_ROUNDS} times.`);
  }

  /**
   * Follows a task to its end, and returns the result of its call.
   *
   * @param {any} created the task
   * @param {Watcher} watcher
   * @param {AbortSignal} signal stops the following, not the task
   */
  async follow(created, watcher, signal) {
    let task = created;
    for (;;) {
      watcher.onTask(task);
      if (isEnded(task)) {
        return resultOf(task);
      }
      if (task.status === "input_required" && task.inputRequests) {
        const inputResponses = await watcher.answer(task.inputRequests);
        await this.#client.request("tasks/update", { taskId: task.taskId, inputResponses }, { signal });
      } else {
        await pause(Math.max(task.pollIntervalMs ?? 1000, SHORTEST_POLL_MS), signal);
      }
      task = await this.getTask(task.taskId, signal);
      const { progress, total } = task._meta?.progress ?? {};
      watcher.onProgress(task.statusMessage ?? "", progress, total);
    }
  }

  /** @param {string} taskId @param {AbortSignal} [signal] */
  getTask(taskId, signal) {
    return this.#client.request("tasks/get", { taskId }, { signal });
  }

  /** @param {string} taskId */
  cancelTask(taskId) {
    return this.#client.request("tasks/cancel", { taskId });
  }
}

/** @param {any} task */
export function isEnded(task) {
  return ["completed", "failed", "cancelled"].includes(task.status);
}

/** @param {any} task */
function resultOf(task) {
  if (task.status === "completed") {
    return task.result;
  }
  throw task.error ? new ProtocolError(task.error) : new Error(task.statusMessage ?? `The task was ${task.status}.`);
}

/** @param {number} ms @param {AbortSignal} signal */
export function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve(undefined);
    }, ms);
    signal.addEventListener("abort", end, { once: true });
  });
}
