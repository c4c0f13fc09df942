// Headers of MCP, which repeat parts of the body.

/** Encodes a text for a header, which takes visible ASCII alone. @param {string} text */
export function headerText(text) {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)) {
    return text;
  }
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte));
  return `=?base64?${btoa(bytes.join(""))}?=`;
}

/**
 * Returns the headers of arguments, as schemas with `x-mcp-header` demand them.
 *
 * @param {any} schema
 * @param {any} values
 * @returns {Record<string, string>}
 */
export function parameterHeaders(schema, values) {
  /** @type {Record<string, string>} */
  const headers = {};
  for (const [name, member] of Object.entries(schema?.properties ?? {})) {
    const value = values?.[name];
    if (value === undefined || value === null) {
      continue;
    }
    if (typeof member["x-mcp-header"] === "string") {
      headers[`Mcp-Param-${member["x-mcp-header"]}`] = headerText(String(value));
    }
    Object.assign(headers, parameterHeaders(member, value));
  }
  return headers;
}
