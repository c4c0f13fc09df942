// What a server says about itself.

import { element } from "../../views/elements.js";
import { makeFigures } from "../parts/value_tables.js";

/** @param {import("../main.js").App} app @param {any[]} tools */
export function showServer(app, tools) {
  const { info, discovered } = app;
  const versioned = tools.filter((tool) => (tool._meta?.versions ?? []).length > 1).length;
  const reads = tools.filter((tool) => tool.annotations?.readOnlyHint).length;
  /** @type {[string, any][]} */
  const figures = [
    ["version", info.version],
    ["tools", tools.length],
    ["that only read", reads],
    ["with older versions", versioned],
    ["protocol", (discovered.supportedVersions ?? []).join(", ")],
    ["extensions", Object.keys(discovered.capabilities?.extensions ?? {}).join(", ") || "none"],
  ];
  return element(
    "article",
    { class: "detail overview" },
    element("h1", { tabindex: -1 }, info.title ?? info.name),
    element("p", {}, info.description),
    discovered.instructions && element("p", { class: "text" }, discovered.instructions),
    makeFigures(figures),
    element(
      "p",
      { class: "note" },
      "Also here: ",
      element("a", { href: "docs" }, "the REST routes"),
      ", ",
      element("code", {}, "POST /mcp"),
      ", ",
      element("code", {}, "/metrics"),
      ".",
    ),
  );
}
