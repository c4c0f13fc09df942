// The page of tools: all of them, and the one that was chosen.

import { element } from "../../views/elements.js";
import { listBadges } from "../parts/badges.js";
import { Catalogue, showSplit } from "./catalogue.js";
import { showServer } from "./server_facts.js";
import { showTool } from "./tool.js";

/** @typedef {import("../main.js").App} App */

/** The tools that the token may use, asked for once. */
export class ToolList {
  /** @type {Promise<any[]> | null} */
  #tools = null;
  #client;

  /** @param {import("../protocol/mcp.js").McpClient} client */
  constructor(client) {
    this.#client = client;
  }

  /** Forgets what another token may not see. */
  forget() {
    this.#tools = null;
  }

  /** @returns {Promise<any[]>} */
  load() {
    this.#tools ??= this.#client.list("tools/list", "tools").catch((error) => {
      this.#tools = null;
      throw error;
    });
    return this.#tools;
  }

  /** @param {string} name */
  async find(name) {
    return (await this.load()).find((each) => each.name === name);
  }
}

/** @param {App} app */
export function makeToolsPage(app) {
  /** @type {{tools: any[], catalogue: Catalogue} | null} the list as it is shown, with its search */
  let shown = null;
  /** @type {WeakMap<object, ReturnType<typeof showTool>>} pages of tools, with what their reader entered */
  const pages = new WeakMap();
  const showKept = (/** @type {any} */ tool) => {
    const page = pages.get(tool) ?? showTool(app, tool);
    pages.set(tool, page);
    return page;
  };
  return {
    /** @param {Element} main @param {string} name @param {AbortSignal} signal */
    show: async (main, name, signal) => {
      const tools = await app.toolList.load();
      signal.throwIfAborted();
      const catalogue = shown?.tools === tools ? shown.catalogue : new Catalogue("tools", tools.map(describe));
      shown = { tools, catalogue };
      const tool = tools.find((each) => each.name === name);
      const page = tool && showKept(tool);
      const detail = page ? page.detail : name ? showUnknown(name) : showServer(app, tools);
      showSplit(main, catalogue, detail, name);
      page?.panel.refresh();
    },
  };
}

/** @param {any} tool @returns {import("./catalogue.js").Entry} */
function describe(tool) {
  return {
    name: tool.name,
    href: `#/tools/${encodeURIComponent(tool.name)}`,
    title: tool.title ?? tool.name,
    text: tool.description ?? "",
    badges: listBadges(tool),
  };
}

/** @param {string} name */
function showUnknown(name) {
  return element(
    "article",
    { class: "detail" },
    element("h1", { tabindex: -1 }, `No tool ${name}`),
    element("p", {}, "The server has none of this name, or the token's scopes do not show it."),
  );
}
