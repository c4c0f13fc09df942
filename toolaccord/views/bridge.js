/**
 * The host's side of MCP Apps, for pages of toolaccord that show views: the console and the site.
 *
 * A document goes into a frame with a sandbox. A frame with `srcdoc` would inherit the policy of the page around it,
 * so the frame loads `frame.html` with the policy of the standard, and writes the document that it is sent. A static
 * site gives the document an address of its own instead.
 *
 * @typedef {object} Mounting
 * @property {string} title the accessible name of the frame
 * @property {string} [src] the address of a document; or
 * @property {string} [frame] the address of `frame.html`, and
 * @property {string} [html] the document
 * @property {object} [context] the first host context: theme, locale, timeZone, styles
 * @property {(name: string, input: object) => Promise<object>} [callTool] answers tools/call with a result
 * @property {(url: string) => unknown} [openLink] throws where it refuses; without it the view hears so
 */

const PROXY_READY = "ui/notifications/sandbox-proxy-ready";

/** A document of a view in a frame. */
export class MountedView {
  #queue = [];
  #isReady = false;

  /** @param {Mounting} mounting */
  constructor(mounting) {
    this.mounting = mounting;
    this.frame = document.createElement("iframe");
    this.frame.title = mounting.title;
    this.frame.setAttribute("sandbox", "allow-scripts");
    this.frame.src = mounting.src ?? mounting.frame;
    this.frame.style.cssText = "display: block; width: 100%; border: 0";
    this.listener = (event) => this.#receive(event);
    window.addEventListener("message", this.listener);
  }

  /** @param {Record<string, unknown>} input the arguments of the call */
  sendInput(input) {
    this.#notify("ui/notifications/tool-input", { arguments: input });
  }

  /** @param {object} result a CallToolResult */
  sendResult(result) {
    this.#notify("ui/notifications/tool-result", result);
  }

  /** @param {string} [reason] */
  sendCancelled(reason) {
    this.#notify("ui/notifications/tool-cancelled", { reason });
  }

  /** @param {object} changes members of the host context that changed */
  setContext(changes) {
    this.mounting.context = { ...this.mounting.context, ...changes };
    this.#notify("ui/notifications/host-context-changed", changes);
  }

  /** Removes the frame. */
  close() {
    window.removeEventListener("message", this.listener);
    this.frame.remove();
  }

  /**
   * Sends a notification, once the view has shaken hands.
   *
   * @param {string} method
   * @param {object} params
   */
  #notify(method, params) {
    if (this.#isReady) {
      this.#post({ method, params });
    } else {
      this.#queue.push({ method, params });
    }
  }

  /** @param {object} message */
  #post(message) {
    // The frame's origin is opaque: no other target than "*" reaches it.
    this.frame.contentWindow?.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  /** @param {MessageEvent} event */
  async #receive(event) {
    const message = event.data;
    if (event.source !== this.frame.contentWindow || message?.jsonrpc !== "2.0") {
      return;
    }
    if (message.id === undefined) {
      this.#receiveNotification(message.method, message.params ?? {});
    } else if (message.method) {
      this.#post({ id: message.id, ...(await this.#answer(message.method, message.params ?? {})) });
    }
  }

  /**
   * @param {string} method
   * @param {any} params
   */
  #receiveNotification(method, params) {
    if (method === PROXY_READY) {
      this.#post({ method: "ui/notifications/sandbox-resource-ready", params: { html: this.mounting.html } });
    } else if (method === "ui/notifications/initialized") {
      this.#isReady = true;
      for (const { method: name, params: content } of this.#queue.splice(0)) {
        this.#notify(name, content);
      }
    } else if (method === "ui/notifications/size-changed" && params.height > 0) {
      this.frame.style.height = `${Math.ceil(params.height)}px`;
    }
  }

  /**
   * @param {string} method
   * @param {any} params
   * @returns {Promise<object>} a result or an error of JSON-RPC
   */
  async #answer(method, params) {
    const answers = {
      ping: () => ({}),
      "ui/initialize": () => this.#introduce(params),
      "ui/open-link": () => this.#open(params.url),
      "tools/call": () => this.mounting.callTool?.(params.name, params.arguments ?? {}),
    };
    const answer = Object.hasOwn(answers, method) ? answers[method] : () => undefined;
    try {
      const result = await answer();
      return result ? { result } : { error: { code: -32601, message: "This host does not do that" } };
    } catch (error) {
      return { error: { code: -32603, message: error instanceof Error ? error.message : String(error) } };
    }
  }

  /** @param {{protocolVersion: string}} params */
  #introduce({ protocolVersion }) {
    const { openLink, callTool } = this.mounting;
    return {
      protocolVersion,
      hostInfo: { name: "toolaccord", version: "1" },
      hostCapabilities: { ...(openLink ? { openLinks: {} } : {}), ...(callTool ? { serverTools: {} } : {}) },
      hostContext: this.mounting.context ?? {},
    };
  }

  /**
   * @param {string} url
   * @returns {Promise<object | undefined>} undefined where nobody opens links
   */
  async #open(url) {
    await this.mounting.openLink?.(url);
    return this.mounting.openLink && {};
  }
}

/**
 * Shows a document of a view in an element.
 *
 * @param {Element} parent
 * @param {Mounting} mounting
 * @returns {MountedView}
 */
export function mountView(parent, mounting) {
  const mounted = new MountedView(mounting);
  parent.append(mounted.frame);
  return mounted;
}
