// The page of resources: those with an address, and templates that get one.

import { element } from "../../views/elements.js";
import { showResourceContents } from "../call/result.js";
import { badge } from "../parts/badges.js";
import { fill } from "../parts/dom.js";
import { showFault } from "../parts/faults.js";
import { makeFigures } from "../parts/value_tables.js";
import { Catalogue, showSplit } from "./catalogue.js";

/** @param {import("../main.js").App} app */
export function makeResourcesPage(app) {
  /** @type {Promise<{entries: any[], catalogue: Catalogue}> | null} */
  let loading = null;
  const load = async () => {
    const [resources, templates] = await Promise.all([
      app.client.list("resources/list", "resources"),
      app.client.list("resources/templates/list", "resourceTemplates"),
    ]);
    const entries = [...resources, ...templates];
    return { entries, catalogue: new Catalogue("resources", entries.map(describe)) };
  };
  return {
    forget: () => {
      loading = null;
    },
    /** @param {Element} main @param {string} address @param {AbortSignal} signal */
    show: async (main, address, signal) => {
      loading ??= load();
      const { entries, catalogue } = await loading.catch((error) => {
        loading = null;
        throw error;
      });
      signal.throwIfAborted();
      const entry = entries.find((each) => addressOf(each) === address);
      const detail = address
        ? showResource(app, entry ?? { uri: address, name: address })
        : showNothing(entries.length);
      showSplit(main, catalogue, detail, address);
    },
  };
}

/** @param {any} entry @returns {string} */
function addressOf(entry) {
  return entry.uri ?? entry.uriTemplate;
}

/** @param {any} entry @returns {import("./catalogue.js").Entry} */
function describe(entry) {
  return {
    name: addressOf(entry),
    href: `#/resources/${encodeURIComponent(addressOf(entry))}`,
    title: entry.title ?? entry.name,
    text: entry.description ?? "",
    badges: [entry.uriTemplate ? badge("template") : null],
  };
}

/** @param {number} count */
function showNothing(count) {
  return element(
    "article",
    { class: "detail overview" },
    element("h1", { tabindex: -1 }, "Resources"),
    element("p", {}, count > 0 ? "Choose one to read it." : "The server has none."),
  );
}

/** @param {import("../main.js").App} app @param {any} entry */
function showResource(app, entry) {
  const contents = element(
    "section",
    { class: "card", "aria-label": "Contents", "aria-live": "polite" },
    element("p", { class: "note" }, "Not read yet."),
  );
  const names = [...(entry.uriTemplate ?? "").matchAll(/\{[+/?#&.;]?([^}*]+)\*?\}/g)].flatMap(([, list]) =>
    list.split(","),
  );
  const inputs = names.map((name) => /** @type {HTMLInputElement} */ (element("input", { name, spellcheck: "false" })));
  let reading = new AbortController();
  const read = async () => {
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    const values = Object.fromEntries(inputs.map((input) => [input.name, input.value]));
    const uri = entry.uri ?? expand(entry.uriTemplate, values);
    try {
      const result = await app.client.request("resources/read", { uri }, { signal });
      fill(
        contents,
        result.contents.map((/** @type {any} */ each) => [
          element("h2", {}, element("code", {}, each.uri)),
          showResourceContents(each),
        ]),
      );
    } catch (error) {
      if (!signal.aborted) {
        fill(contents, showFault(error));
      }
    }
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    read();
  };
  if (entry.uri) {
    read();
  }
  return element(
    "article",
    { class: "detail" },
    element("a", { class: "back", href: "#/resources" }, "‹ Resources"),
    element(
      "h1",
      { tabindex: -1 },
      entry.title ?? entry.name,
      " ",
      entry.uri !== entry.name && element("code", {}, addressOf(entry)),
    ),
    element("p", { class: "description" }, entry.description),
    makeFigures(
      /** @type {[string, any][]} */ ([
        ["type", entry.mimeType],
        ["bytes", entry.size],
      ]).filter(([, value]) => value !== undefined),
    ),
    element(
      "form",
      { class: "card fields", onsubmit: submit },
      inputs.map((input) => element("label", {}, input.name, input)),
      element(
        "p",
        { class: "actions" },
        element("button", { type: "submit", class: "primary" }, entry.uri ? "Read again" : "Read"),
      ),
    ),
    contents,
  );
}

/**
 * Expands a template of RFC 6570 to the level that contracts admit.
 *
 * @param {string} template
 * @param {Record<string, string>} values
 */
export function expand(template, values) {
  return template.replace(/\{([+#./;?&]?)([^}]+)\}/g, (_, operator, list) => {
    const names = list.split(",").map((/** @type {string} */ name) => name.replace(/\*$/, ""));
    const given = names.filter((/** @type {string} */ name) => values[name]);
    const isNamed = "?&;".includes(operator) && operator !== "";
    const encode = "+#".includes(operator) && operator !== "" ? encodeURI : encodeURIComponent;
    const parts = given.map((/** @type {string} */ name) =>
      isNamed ? `${name}=${encode(values[name])}` : encode(values[name]),
    );
    const separator = isNamed ? (operator === ";" ? ";" : "&") : operator === "/" || operator === "." ? operator : ",";
    const start = operator === "+" ? "" : operator;
    return parts.length > 0 ? start + parts.join(separator) : "";
  });
}
