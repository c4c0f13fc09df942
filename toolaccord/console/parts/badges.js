// Words beside a name.

import { element } from "../../views/elements.js";

/** @param {string} text @param {string} [kind] */
export function badge(text, kind = "") {
  return element("span", { class: `badge ${kind}`.trim() }, text);
}

/** What a reader should know before a call. @param {any} tool */
export function listBadges(tool) {
  const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
  const { versions = [], deprecated = [] } = tool._meta ?? {};
  const effect = readOnlyHint
    ? badge("read", "read")
    : destructiveHint
      ? badge("may destroy", "destroys")
      : badge("write", "write");
  return [
    effect,
    tool._meta?.ui?.resourceUri ? badge("view") : null,
    versions.length > 1 ? badge(`${versions.length} versions`) : null,
    deprecated.length > 0 ? badge("deprecated", "write") : null,
  ];
}
