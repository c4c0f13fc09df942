// Views of results, in frames that reach nothing but this page.

/** @param {any} tool */
function viewUri(tool) {
  return tool._meta?.ui?.resourceUri;
}

/** Makes the views of tools. */
export class Views {
  #client;

  /** @param {import("./mcp.js").McpClient} client */
  constructor(client) {
    this.#client = client;
  }

  /**
   * Returns a function that makes the view of a result; null for a tool without one.
   *
   * @param {any} tool
   * @param {any} values the arguments of the call
   * @param {any} result
   * @returns {(() => Node) | null}
   */
  maker(tool, values, result) {
    return viewUri(tool) === undefined ? null : null;
  }
}
