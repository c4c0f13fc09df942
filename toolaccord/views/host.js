const PROTOCOL_VERSION = "2026-01-26";

/** A host's answer to a request, as an error. */
export class HostError extends Error {}

/** The view's side of MCP Apps: JSON-RPC with the host that shows this page. */
export class Host {
  #lastId = 0;
  /** @type {Map<number, {resolve: (result: any) => void, reject: (error: Error) => void}>} */
  #pending = new Map();
  #handlers;

  /** @param {Record<string, (params: any) => unknown>} handlers methods of the host; what they return is the answer */
  constructor(handlers) {
    this.#handlers = { ping: () => ({}), ...handlers };
    window.addEventListener("message", (event) => this.#receive(event));
  }

  /**
   * Shakes hands, and reports the size of the page from then on.
   *
   * @param {string} name
   * @returns {Promise<{hostContext?: HostContext, hostCapabilities?: Record<string, unknown>}>}
   */
  async initialize(name) {
    const answer = await this.request("ui/initialize", {
      protocolVersion: PROTOCOL_VERSION,
      appInfo: { name, version: "1" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    });
    this.notify("ui/notifications/initialized", {});
    return answer;
  }

  /** Tells the host each height that the page takes. */
  reportSize() {
    const report = () => {
      const height = Math.ceil(document.body.getBoundingClientRect().height);
      this.notify("ui/notifications/size-changed", { width: window.innerWidth, height });
    };
    new ResizeObserver(report).observe(document.body);
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} callArguments
   * @returns {Promise<ToolResult>}
   */
  callTool(name, callArguments) {
    return this.request("tools/call", { name, arguments: callArguments });
  }

  /** @param {string} url */
  openLink(url) {
    return this.request("ui/open-link", { url });
  }

  /**
   * @param {string} method
   * @param {object} params
   * @returns {Promise<any>}
   */
  request(method, params) {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      post({ id, method, params });
    });
  }

  /**
   * @param {string} method
   * @param {object} params
   */
  notify(method, params) {
    post({ method, params });
  }

  /** @param {MessageEvent} event */
  #receive(event) {
    const message = event.data;
    if (event.source !== window.parent || message?.jsonrpc !== "2.0") {
      return;
    }
    if (typeof message.method === "string") {
      this.#answer(message);
    } else {
      this.#settle(message);
    }
  }

  /** @param {{id?: number | string, method: string, params?: object}} message */
  #answer({ id, method, params }) {
    const handler = Object.hasOwn(this.#handlers, method) ? this.#handlers[method] : null;
    const result = handler?.(params ?? {});
    if (id === undefined) {
      return;
    }
    post(handler ? { id, result: result ?? {} } : { id, error: { code: -32601, message: "Method not found" } });
  }

  /** @param {{id: number, result?: object, error?: {message: string}}} message */
  #settle({ id, result, error }) {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error) {
      pending?.reject(new HostError(error.message));
    } else {
      pending?.resolve(result);
    }
  }
}

/** @param {object} message */
function post(message) {
  // A page in a sandbox cannot know its host's origin, and sends no secret.
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}
