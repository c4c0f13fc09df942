// Results of calls: as the tool's view, as tables, as JSON; and errors with their codes.

import { element } from "../../views/elements.js";
import { makeTable } from "../parts/table.js";
import { makeTabs } from "../parts/tabs.js";
import { showValue } from "../parts/value_tables.js";
import { jsonText, sizeText } from "../parts/values.js";

const LONGEST_JSON = 500_000;

/**
 * @param {any} result of `tools/call`
 * @param {(() => Node) | null} makeView makes the tool's view; null without one
 * @returns {HTMLElement}
 */
export function showResult(result, makeView) {
  const value = jsonOf(result);
  /** @type {{name: string, make: () => Node}[]} */
  const tabs = [{ name: "JSON", make: () => showJson(value ?? result) }];
  if (value === undefined) {
    tabs.unshift({ name: "Content", make: () => showContents(result.content ?? []) });
  } else if (!result.isError) {
    tabs.unshift({ name: "Table", make: () => showValue(value) });
  }
  if (makeView && !result.isError) {
    tabs.unshift({ name: "View", make: makeView });
  }
  return element("div", {}, result.isError && showToolError(errorOf(value)), makeTabs("Forms of the result", tabs));
}

/** The error in the envelope of any dialect. @param {any} value */
export function errorOf(value) {
  const error = value?.error ?? {};
  const named = error.data?.code === undefined ? error : { ...error, ...error.data };
  return {
    code: String(named.code ?? named.error_type ?? "error"),
    message: String(named.message ?? "The tool answered with an error."),
    violations: named.details?.violations ?? [],
  };
}

/** @param {{code: string, message: string, violations: any[]}} error */
function showToolError({ code, message, violations }) {
  const columns = ["at", "keyword", "message"].map((name) => ({
    label: name,
    value: (/** @type {any} */ row) => row[name],
  }));
  return element(
    "div",
    { class: "error" },
    element("p", {}, element("code", { class: "code" }, code), " ", message),
    violations.length > 0 && makeTable("Violations", columns, violations),
  );
}

/** The JSON value of a result; undefined for other content. @param {any} result */
export function jsonOf(result) {
  if (result.structuredContent !== undefined) {
    return result.structuredContent;
  }
  const [first, ...others] = result.content ?? [];
  try {
    return first?.type === "text" && others.length === 0 ? JSON.parse(first.text) : undefined;
  } catch {
    return undefined;
  }
}

/** @param {any} value */
export function showJson(value) {
  const text = jsonText(value);
  const isLong = text.length > LONGEST_JSON;
  const copy = element("button", { type: "button", class: "quiet", onclick: () => copyText(copy, text) }, "Copy");
  return element(
    "div",
    { class: "json" },
    copy,
    isLong && element("p", { class: "note" }, `The first ${LONGEST_JSON} of ${text.length} characters:`),
    element("pre", {}, isLong ? text.slice(0, LONGEST_JSON) : text),
  );
}

/** @param {HTMLElement} button @param {string} text */
async function copyText(button, text) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "The browser refused";
  }
}

/** @param {any[]} contents blocks of results and prompts @returns {HTMLElement} */
export function showContents(contents) {
  return element("div", { class: "contents" }, contents.map(showBlock));
}

/** @param {any} block @returns {HTMLElement} */
export function showBlock(block) {
  switch (block.type) {
    case "text":
      return element("pre", { class: "text" }, block.text);
    case "image":
      return element("img", { src: dataUrl(block), alt: "Picture of the result" });
    case "resource":
      return showResourceContents(block.resource);
    case "resource_link":
      return element(
        "p",
        {},
        element("a", { href: `#/resources/${encodeURIComponent(block.uri)}` }, block.title ?? block.name),
      );
    default:
      return element("p", { class: "note" }, `${block.type}, ${block.mimeType ?? "of unknown type"}, not shown here.`);
  }
}

/** @param {any} contents of a resource @returns {HTMLElement} */
export function showResourceContents(contents) {
  const type = contents.mimeType ?? "";
  if (contents.text !== undefined) {
    return element("pre", { class: "text" }, prettyText(contents.text, type));
  }
  if (/^image\/(png|jpeg|gif|webp|svg\+xml)$/.test(type)) {
    return element("img", { src: dataUrl({ mimeType: type, data: contents.blob }), alt: `Picture ${contents.uri}` });
  }
  return element(
    "p",
    { class: "note" },
    `${type || "Data"}, ${sizeText((contents.blob.length * 3) / 4)}, not shown here.`,
  );
}

/** @param {{mimeType: string, data: string}} block */
function dataUrl({ mimeType, data }) {
  return `data:${encodeURIComponent(mimeType).replace("%2F", "/").replace("%2B", "+")};base64,${data}`;
}

/** @param {string} text @param {string} type */
function prettyText(text, type) {
  try {
    return /[/+]json$/.test(type) ? jsonText(JSON.parse(text)) : text;
  } catch {
    return text;
  }
}
