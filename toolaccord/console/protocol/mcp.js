// A client of MCP 2026-07-28, in which each request is whole: nothing is opened, and nothing has to be closed.

import { reach, readRejection } from "./connection.js";
import { readEvents } from "./events.js";
import { headerText, parameterHeaders } from "./headers.js";

const VERSION = "2026-07-28";
const PREFIX = "io.modelcontextprotocol/";
const VIEWS = "text/html;profile=mcp-app";
const CAPABILITIES = {
  elicitation: { form: {} },
  extensions: { [`${PREFIX}ui`]: { mimeTypes: [VIEWS] }, [`${PREFIX}tasks`]: {} },
};
const CLIENT = { name: "toolaccord-console", version: "1" };
/** @type {Record<string, string>} The parameter that the header Mcp-Name repeats, by method. */
const NAMED = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** An error that the protocol has: of the request, not of the tool. */
export class ProtocolError extends Error {
  /** @param {{code: number, message: string, data?: any}} error */
  constructor({ code, message, data }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/**
 * @typedef {object} Options
 * @property {AbortSignal} [signal] cancels the request
 * @property {(progress: {progress: number, total?: number, message?: string}) => void} [onProgress]
 * @property {any} [schema] the schema of a tool's arguments, some of which headers may repeat
 * @property {Record<string, any>} [meta] further members of `_meta`
 */

/** Speaks to `/mcp` beside the page. */
export class McpClient {
  #connection;
  #lastId = 0;

  /** @param {import("./connection.js").Connection} connection */
  constructor(connection) {
    this.#connection = connection;
  }

  /**
   * Sends a request and returns its result. Throws ProtocolError, Rejected, Unreachable, or AbortError.
   *
   * @param {string} method
   * @param {Record<string, any>} [params]
   * @param {Options} [options]
   * @returns {Promise<any>}
   */
  async request(method, params = {}, options = {}) {
    this.#lastId += 1;
    const id = this.#lastId;
    const message = { jsonrpc: "2.0", id, method, params: { ...params, _meta: this.#meta(id, options) } };
    const response = await this.#connection.fetch("mcp", {
      method: "POST",
      headers: { ...headersOf(method, params), ...parameterHeaders(options.schema, params.arguments) },
      body: JSON.stringify(message),
      signal: options.signal,
    });
    return resultOf(await readAnswer(response, options.onProgress));
  }

  /** All items of a list, which may have pages. @param {string} method @param {string} member */
  async list(method, member) {
    const items = [];
    let page = await this.request(method);
    items.push(...page[member]);
    while (page.nextCursor !== undefined) {
      page = await this.request(method, { cursor: page.nextCursor });
      items.push(...page[member]);
    }
    return items;
  }

  /** @param {number} id @param {Options} options */
  #meta(id, options) {
    return {
      ...options.meta,
      ...(options.onProgress && { progressToken: id }),
      [`${PREFIX}protocolVersion`]: VERSION,
      [`${PREFIX}clientInfo`]: CLIENT,
      [`${PREFIX}clientCapabilities`]: CAPABILITIES,
    };
  }
}

/** @param {string} method @param {Record<string, any>} params */
function headersOf(method, params) {
  const name = params[NAMED[method]];
  return {
    Accept: "application/json, text/event-stream",
    "Content-Type": "application/json",
    "MCP-Protocol-Version": VERSION,
    "Mcp-Method": method,
    ...(name !== undefined && { "Mcp-Name": headerText(name) }),
  };
}

/** @param {Response} response @param {Options["onProgress"]} onProgress */
async function readAnswer(response, onProgress) {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream") && response.body) {
    return readStream(response.body, onProgress);
  }
  if (!type.startsWith("application/json")) {
    throw await readRejection(response);
  }
  const text = await reach(response.clone().text());
  const message = JSON.parse(text);
  if (message.id === null || message.id === undefined) {
    throw await readRejection(response);
  }
  return message;
}

/** @param {ReadableStream<Uint8Array>} body @param {Options["onProgress"]} onProgress */
async function readStream(body, onProgress) {
  for await (const data of readEvents(body)) {
    const message = JSON.parse(data);
    if (message.method === "notifications/progress") {
      onProgress?.(message.params);
    } else if (message.method === undefined) {
      return message;
    }
  }
  throw new Error("The server ended its answer too early.");
}

/** @param {any} message */
function resultOf(message) {
  if (message.error !== undefined) {
    throw new ProtocolError(message.error);
  }
  return message.result;
}
