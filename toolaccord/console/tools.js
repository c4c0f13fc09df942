// The page of tools: all of them, and the one that was chosen.

import { badge, Catalogue, showSplit } from "./catalogue.js";
import { element } from "./dom.js";
import { showServer } from "./server_facts.js";
import { showTool } from "./tool.js";

/** @typedef {import("./main.js").App} App */

/** @param {App} app */
export function makeToolsPage(app) {
  /** @type {Promise<{tools: any[], catalogue: Catalogue}> | null} */
  let loading = null;
  const load = async () => {
    const tools = await app.client.list("tools/list", "tools");
    return { tools, catalogue: new Catalogue("tools", tools.map(describe)) };
  };
  return {
    forget: () => {
      loading = null;
    },
    /** @param {Element} main @param {string} name */
    show: async (main, name) => {
      loading ??= load();
      const { tools, catalogue } = await loading.catch((error) => {
        loading = null;
        throw error;
      });
      const tool = tools.find((each) => each.name === name);
      const detail = tool ? showTool(app, tool) : name ? showUnknown(name) : showServer(app, tools);
      showSplit(main, catalogue, detail, name);
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

/** What a reader should know before a call. @param {any} tool */
export function listBadges(tool) {
  const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
  const { versions = [], deprecated = [] } = tool._meta ?? {};
  const effect = readOnlyHint
    ? badge("read", "read")
    : destructiveHint
      ? badge("destroys", "destroys")
      : badge("write", "write");
  return [
    effect,
    tool._meta?.ui?.resourceUri ? badge("view") : null,
    versions.length > 1 ? badge(`${versions.length} versions`) : null,
    deprecated.length > 0 ? badge("deprecated", "write") : null,
  ];
}

/** @param {string} name */
function showUnknown(name) {
  return element(
    "article",
    { className: "detail" },
    element("h1", { tabIndex: -1 }, `No tool ${name}`),
    element("p", {}, "The server has none of this name, or the token's scopes do not show it."),
  );
}
