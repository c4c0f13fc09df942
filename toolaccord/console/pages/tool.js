// The page of one tool: its arguments, its call, its errors, and its versions.

import { element } from "../../views/elements.js";
import { CallPanel } from "../call/call_panel.js";
import { showJson } from "../call/result.js";
import { listBadges } from "../parts/badges.js";
import { fill } from "../parts/dom.js";
import { showFault } from "../parts/faults.js";
import { makeTable } from "../parts/table.js";

const LONG_DESCRIPTION = 300;

/** @param {import("../main.js").App} app @param {any} tool @returns {{detail: HTMLElement, panel: CallPanel}} */
export function showTool(app, tool) {
  const facts = element("div", { class: "facts" });
  const panel = new CallPanel(app, tool);
  const detail = element(
    "article",
    { class: "detail" },
    element("a", { class: "back", href: "#/tools" }, "‹ Tools"),
    element(
      "h1",
      { tabindex: -1 },
      tool.title ?? "",
      " ",
      element("code", { class: tool.title ? "" : "sole" }, tool.name),
      " ",
      listBadges(tool),
    ),
    showDescription(tool.description ?? ""),
    showDeprecations(tool),
    panel.element,
    facts,
    showSchemas(tool),
  );
  addFacts(app, tool, facts, panel);
  return { detail, panel };
}

/** @param {import("../main.js").App} app @param {any} tool @param {Element} place @param {CallPanel} panel */
async function addFacts(app, tool, place, panel) {
  try {
    const facts = await app.contract.describe(tool.name);
    panel.addFacts(facts);
    fill(place, showErrors(facts), showChanges(facts.changes));
  } catch (error) {
    fill(place, showFault(error));
  }
}

/** Shows the beginning of a long text. @param {string} text */
function showDescription(text) {
  const description = element("p", { class: "description" }, text);
  if (text.length < LONG_DESCRIPTION) {
    return description;
  }
  description.classList.add("clamped");
  const all = element("button", { type: "button", class: "quiet", "aria-expanded": "false" }, "Show all");
  all.addEventListener("click", () => {
    const isClamped = description.classList.toggle("clamped");
    all.setAttribute("aria-expanded", String(!isClamped));
    fill(all, isClamped ? "Show all" : "Show less");
  });
  return [description, all];
}

/** @param {any} tool */
function showDeprecations(tool) {
  const { deprecated = [], sunset = {}, latest } = tool._meta ?? {};
  const sentences = deprecated.map((/** @type {string} */ version) => {
    const end = sunset[version] ? ` Its last day is ${sunset[version]}.` : "";
    return element("li", {}, `Version ${version} is deprecated: call ${latest}.${end}`);
  });
  return sentences.length > 0 && element("ul", { class: "warning" }, sentences);
}

/** @param {import("../protocol/contract.js").ToolFacts} facts */
function showErrors({ errors, otherErrors }) {
  const others = showLazily("Errors of any request", () => makeErrorTable("Errors of any request", otherErrors), "");
  return (
    errors.length > 0 &&
    element(
      "section",
      { class: "card" },
      element("h2", {}, "Errors"),
      makeErrorTable("Errors of the tool", errors),
      otherErrors.length > 0 && others,
    )
  );
}

/** @param {string} caption @param {import("../protocol/contract.js").ErrorFacts[]} errors */
function makeErrorTable(caption, errors) {
  const example = (/** @type {any} */ row) => row.example && showLazily("Example", () => showJson(row.example), "");
  const columns = [
    {
      label: "Code",
      value: (/** @type {any} */ row) => row.code,
      show: (/** @type {any} */ row) => element("code", {}, row.code),
    },
    { label: "HTTP", value: (/** @type {any} */ row) => Number(row.status) },
    { label: "Meaning", value: (/** @type {any} */ row) => row.description },
    { label: "Example", value: () => "", show: example },
  ];
  return makeTable(caption, columns, errors);
}

/** @param {import("../protocol/contract.js").ToolFacts["changes"]} changes */
function showChanges(changes) {
  const sections = changes.map(({ from, to, parameters, returns }) => [
    element("h3", {}, `${from} → ${to}`),
    showDifferences("Arguments", parameters),
    showDifferences("Result", returns),
  ]);
  return (
    sections.length > 0 &&
    element("section", { class: "card" }, element("h2", {}, "Changes between versions"), sections)
  );
}

/** @param {string} caption @param {import("../protocol/contract.js").Change[]} changes */
function showDifferences(caption, changes) {
  if (changes.length === 0) {
    return element("p", { class: "note" }, `${caption}: the same members.`);
  }
  const columns = [
    { label: "Change", value: (/** @type {any} */ row) => row.kind },
    {
      label: "Member",
      value: (/** @type {any} */ row) => row.path,
      show: (/** @type {any} */ row) => element("code", {}, row.path),
    },
    { label: "Type and limits", value: (/** @type {any} */ row) => row.text },
  ];
  return makeTable(caption, columns, changes);
}

/** @param {any} tool */
function showSchemas(tool) {
  const schemas = [
    ["Schema of the arguments", tool.inputSchema],
    ["Schema of the result", tool.outputSchema],
  ];
  return schemas.filter(([, schema]) => schema).map(([title, schema]) => showLazily(title, () => showJson(schema)));
}

/** @param {string} title @param {() => Node} make @param {string} className */
function showLazily(title, make, className = "card") {
  const details = /** @type {HTMLDetailsElement} */ (
    element("details", { class: className }, element("summary", {}, title))
  );
  details.addEventListener("toggle", () => details.append(make()), { once: true });
  return details;
}
