// Differences between the schemas of two versions, as their reader needs them.

/**
 * @typedef {object} Change
 * @property {"added" | "removed" | "changed"} kind
 * @property {string} path of the member
 * @property {string} text
 */

const MAX_DEPTH = 12;
const TEXTS = new Set(["description", "title", "examples", "default"]);

/**
 * @param {any} older
 * @param {any} newer
 * @returns {Change[]}
 */
export function compareSchemas(older, newer) {
  const [before, after] = [listMembers(older), listMembers(newer)];
  /** @type {Change[]} */
  const changes = [];
  for (const [path, member] of before) {
    const next = after.get(path);
    if (next === undefined) {
      changes.push({ kind: "removed", path, text: describe(member) });
    } else if (describe(member) !== describe(next)) {
      changes.push({ kind: "changed", path, text: `${describe(member)} → ${describe(next)}` });
    }
  }
  const added = [...after].filter(([path]) => !before.has(path));
  return [...changes, ...added.map(([path, member]) => addition(path, describe(member)))];
}

/** @param {string} path @param {string} text @returns {Change} */
function addition(path, text) {
  return { kind: "added", path, text };
}

/**
 * @param {any} schema
 * @param {string} path
 * @param {number} depth
 * @returns {Map<string, any>}
 */
function listMembers(schema, path = "", depth = 0) {
  /** @type {Map<string, any>} */
  const members = new Map();
  if (typeof schema !== "object" || schema === null || depth > MAX_DEPTH) {
    return members;
  }
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    members.set(`${path}/${name}`, { ...member, isRequired: (schema.required ?? []).includes(name) });
    merge(members, listMembers(member, `${path}/${name}`, depth + 1));
  }
  if (schema.items) {
    merge(members, listMembers(schema.items, `${path}/*`, depth + 1));
  }
  return members;
}

/** @param {Map<string, any>} into @param {Map<string, any>} more */
function merge(into, more) {
  for (const [path, member] of more) {
    into.set(path, member);
  }
}

/** What a member admits, in a few words. @param {any} member */
function describe(member) {
  const skipped = new Set([...TEXTS, "properties", "items", "required", "isRequired", "type", "additionalProperties"]);
  const limits = Object.entries(member).filter(([key]) => !skipped.has(key) && !key.startsWith("x-"));
  const type = [member.type ?? "any"].flat().join(" or ");
  const words = limits.map(([key, value]) => `${key} ${typeof value === "object" ? JSON.stringify(value) : value}`);
  return [member.isRequired ? `${type}, required` : type, ...words].join(", ");
}
