// Facts of the contract that MCP does not list: examples, errors, and the schemas of older versions.
// They come from the OpenAPI document, which is read once, when a tool is opened.

import { compareSchemas } from "./schema_changes.js";

/**
 * @typedef {object} ToolFacts
 * @property {{title: string, arguments: any}[]} examples
 * @property {ErrorFacts[]} errors those of the tool
 * @property {ErrorFacts[]} otherErrors those that each request may get
 * @property {Record<string, any>} schemas the schema of the arguments, by version, the newest first
 * @property {boolean} hasKey true if calls may have an idempotency key
 * @property {{from: string, to: string, parameters: Change[], returns: Change[]}[]} changes
 * @typedef {{code: string, status: string, description: string, example: any}} ErrorFacts
 * @typedef {import("./schema_changes.js").Change} Change
 */

/** @type {ToolFacts} */
const NOTHING = { examples: [], errors: [], otherErrors: [], schemas: {}, hasKey: false, changes: [] };

export class Contract {
  /** @type {Promise<any> | null} */
  #document = null;
  #connection;

  /** @param {import("./connection.js").Connection} connection */
  constructor(connection) {
    this.#connection = connection;
  }

  /**
   * Returns the facts of a tool; none for a server without the document.
   *
   * @param {string} name
   * @returns {Promise<ToolFacts>}
   */
  async describe(name) {
    const document = await this.#read();
    const operation = document?.paths?.[`/mcp/tools/${name}`]?.post;
    return operation === undefined ? NOTHING : describeOperation(document, operation);
  }

  /** A reading that failed is tried again. */
  #read() {
    this.#document ??= this.#load().catch((error) => {
      this.#document = null;
      throw error;
    });
    return this.#document;
  }

  async #load() {
    const response = await this.#connection.fetch("openapi.json");
    return response.ok ? response.json() : null;
  }
}

/** @param {any} document @param {any} operation @returns {ToolFacts} */
function describeOperation(document, operation) {
  const request = operation.requestBody.content["application/json"];
  const response = operation.responses["200"]?.content?.["application/json"] ?? {};
  const versions = operation.parameters.find((/** @type {any} */ each) => each.name === "version")?.schema.enum ?? [];
  const [requests, responses] = [request, response].map((each) => listAlternatives(document, each.schema, versions));
  return {
    examples: Object.entries(request.examples ?? {}).map(([key, example]) => ({
      title: example.summary ?? key.replace(/^example_/, "Example "),
      arguments: example.value,
    })),
    ...splitErrors(document, operation.responses),
    schemas: requests,
    hasKey: operation.parameters.some((/** @type {any} */ each) => each.$ref?.endsWith("/IdempotencyKey")),
    changes: versions.slice(1).map((/** @type {string} */ from, /** @type {number} */ index) => ({
      from,
      to: versions[index],
      parameters: compareSchemas(requests[from], requests[versions[index]]),
      returns: compareSchemas(responses[from], responses[versions[index]]),
    })),
  };
}

/** The schema of each version. @param {any} document @param {any} schema @param {string[]} versions */
function listAlternatives(document, schema, versions) {
  const schemas = versions.length > 1 ? (schema?.anyOf ?? []) : [schema];
  return Object.fromEntries(versions.map((version, index) => [version, inline(document, schemas[index] ?? {})]));
}

/** Tells errors of a tool from those that requests for the list may get, too. @param {any} document @param {any} responses */
function splitErrors(document, responses) {
  const text = (/** @type {ErrorFacts} */ each) => [each.code, each.status, each.description].join();
  const common = new Set(listErrors(document, document.paths["/mcp/tools/list"]?.post?.responses ?? {}).map(text));
  const all = listErrors(document, responses);
  return {
    errors: all.filter((each) => !common.has(text(each))),
    otherErrors: all.filter((each) => common.has(text(each))),
  };
}

/** @param {any} document @param {Record<string, any>} responses @returns {ErrorFacts[]} */
function listErrors(document, responses) {
  const failures = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  return failures.flatMap(([status, response]) => {
    const { description, content } = resolve(document, response);
    const examples = content?.["application/json"]?.examples ?? {};
    return [...description.matchAll(/^- `([^`]+)`: (.*)$/gm)].map(([, code, text]) => ({
      code,
      status,
      description: text,
      example: resolve(document, examples[code])?.value,
    }));
  });
}

/** @param {any} document @param {any} part */
function resolve(document, part) {
  let found = part;
  while (typeof found?.$ref === "string") {
    found = lookUp(document, found.$ref);
  }
  return found;
}

/** Puts what references name in their places. @param {any} document @param {any} schema @returns {any} */
function inline(document, schema) {
  if (Array.isArray(schema)) {
    return schema.map((each) => inline(document, each));
  }
  if (typeof schema !== "object" || schema === null) {
    return schema;
  }
  if (typeof schema.$ref === "string") {
    const { $ref, ...rest } = schema;
    return { ...inline(document, lookUp(document, $ref)), ...rest };
  }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, inline(document, value)]));
}

/** @param {any} document @param {string} reference */
function lookUp(document, reference) {
  const tokens = reference.replace(/^#\//, "").split("/");
  return tokens.reduce((found, token) => found?.[token.replaceAll("~1", "/").replaceAll("~0", "~")], document);
}
