import { element } from "./elements.js";
import { Format } from "./format.js";
import { Host, HostError } from "./host.js";
import { valueAt } from "./pointers.js";

/** A page that shows the results of a tool in panels. */
export class Page {
  /** @type {Record<string, unknown>} */
  input = {};
  /** @type {ToolResult | null} */
  #shown = null;
  /** @type {HostContext} */
  #context = {};
  #lastCall = 0;

  /**
   * @param {View} view
   * @param {Record<string, new (panel: any, page: Page) => PanelOnPage>} kinds
   */
  constructor(view, kinds) {
    this.view = view;
    this.format = new Format(undefined, undefined);
    this.status = element("p", { class: "status", role: "status" });
    this.news = element("p", { class: "unseen", role: "status" });
    this.note = element("p", { class: "note", role: "status" });
    this.panels = view.panels.map((panel) => new kinds[panel.kind](panel, this));
    this.content = element("div", { class: "panels" }, ...this.panels.map((panel) => panel.element));
    this.host = new Host({
      "ui/notifications/tool-input": (params) => this.#receiveInput(params),
      "ui/notifications/tool-result": (params) => this.show(params),
      "ui/notifications/tool-cancelled": (params) => this.#cancel(params),
      "ui/notifications/host-context-changed": (params) => this.#setContext(params),
      "ui/resource-teardown": () => ({}),
    });
  }

  async start() {
    const heading = element("h1", { class: "unseen" }, this.view.title);
    document.body.append(element("main", {}, heading, this.status, this.content, this.note, this.news));
    this.#setState("loading", "Loading …");
    this.host.reportSize();
    // A canvas keeps the colours that it was drawn with.
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#showAgain());
    const { hostContext } = await this.host.initialize(this.view.title);
    this.#setContext(hostContext ?? {});
  }

  /**
   * Calls the tool through the host, and shows its result in all panels. An answer after a later call is dropped.
   *
   * @param {Record<string, unknown>} input
   * @returns {Promise<string | null>} the error, or null
   */
  async call(input) {
    this.news.textContent = "";
    this.#lastCall += 1;
    const call = this.#lastCall;
    const result = await this.#ask(input);
    if (call !== this.#lastCall) {
      return null;
    }
    if (result.isError) {
      return errorText(result);
    }
    this.input = input;
    this.show(result);
    this.news.textContent = "The result is shown";
    return null;
  }

  /**
   * Asks the host to open an address. A host may refuse.
   *
   * @param {string} url
   */
  open(url) {
    return this.host.openLink(url).catch((error) => {
      this.note.textContent = error.message;
    });
  }

  /** @param {ToolResult} result */
  show(result) {
    if (result.isError) {
      this.#setState("error", errorText(result));
      return;
    }
    this.#shown = result;
    this.#setState("result", "");
    const value = valueAt(this.view.result, result.structuredContent);
    for (const panel of this.panels) {
      panel.update(value);
    }
  }

  /**
   * @param {Record<string, unknown>} input
   * @returns {Promise<ToolResult>} an error where the host denies the call
   */
  async #ask(input) {
    try {
      return await this.host.callTool(this.view.tool, input);
    } catch (error) {
      if (error instanceof HostError) {
        return { isError: true, content: [{ type: "text", text: error.message }] };
      }
      throw error;
    }
  }

  /** @param {{arguments?: Record<string, unknown>}} params */
  #receiveInput(params) {
    this.input = params.arguments ?? {};
    for (const panel of this.panels) {
      panel.fill?.(this.input);
    }
  }

  /** @param {{reason?: string}} params */
  #cancel({ reason }) {
    this.#setState("cancelled", reason ? `The call was cancelled: ${reason}` : "The call was cancelled");
  }

  /** @param {HostContext} changes */
  #setContext(changes) {
    this.#context = { ...this.#context, ...changes };
    const { theme, styles, locale, timeZone, safeAreaInsets } = this.#context;
    applyTheme(theme, styles?.variables ?? {});
    applyInsets(safeAreaInsets ?? {});
    this.format = new Format(locale, timeZone);
    this.#showAgain();
  }

  #showAgain() {
    if (this.#shown) {
      this.show(this.#shown);
    }
  }

  /**
   * @param {"loading" | "error" | "cancelled" | "result"} state
   * @param {string} text
   */
  #setState(state, text) {
    document.body.dataset.state = state;
    this.status.setAttribute("role", state === "error" ? "alert" : "status");
    this.status.textContent = text;
  }
}

/**
 * Shows the view that the document embeds.
 *
 * @param {Record<string, new (panel: any, page: Page) => PanelOnPage>} kinds
 */
export function startPage(kinds) {
  const view = JSON.parse(document.getElementById("view")?.textContent ?? "");
  return new Page(view, kinds).start();
}

/**
 * @param {string | undefined} theme
 * @param {Record<string, string>} variables
 */
function applyTheme(theme, variables) {
  const root = document.documentElement;
  if (theme) {
    root.dataset.theme = theme;
  }
  for (const [name, value] of Object.entries(variables)) {
    if (name.startsWith("--") && typeof value === "string") {
      root.style.setProperty(name, value);
    }
  }
}

/** @param {{top?: number, right?: number, bottom?: number, left?: number}} insets in pixels, of a telephone's edges */
function applyInsets({ top = 0, right = 0, bottom = 0, left = 0 }) {
  document.body.style.padding = `${top}px ${right}px ${bottom}px ${left}px`;
}

/**
 * @param {ToolResult} result
 * @returns {string}
 */
function errorText(result) {
  const texts = (result.content ?? []).filter((block) => block.type === "text").map((block) => block.text);
  return texts.join("\n") || "The tool answered an error";
}
