// Requests to the server that the page comes from, with the token of its reader.

/** A request that the server rejected before it reached a tool, a resource or a prompt. */
export class Rejected extends Error {
  /** @param {number} status @param {string} message @param {string} challenge */
  constructor(status, message, challenge = "") {
    super(message);
    this.status = status;
    /** The scopes that the request needs, if the token lacks some. */
    this.scopes = challenge.includes("insufficient_scope")
      ? (/scope="([^"]*)"/.exec(challenge)?.[1] ?? "").split(" ")
      : [];
  }
}

/** The server did not answer, or its answer broke off. */
export class Unreachable extends Error {}

/**
 * Returns what a request or its body gives. The browser's TypeError becomes Unreachable, and is no fault of this page.
 *
 * @template T
 * @param {Promise<T>} answer
 * @returns {Promise<T>}
 */
export async function reach(answer) {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof TypeError ? new Unreachable("The server cannot be reached.", { cause: error }) : error;
  }
}

/** Sends requests. The token is in memory alone: no storage, no cookie and no URL has it. */
export class Connection {
  /** @type {string | null} */
  #token = null;
  /** @type {Promise<string> | null} */
  #asking = null;
  #ask;

  /**
   * @param {(challenge: string, isRejected: boolean) => Promise<string>} ask asks the reader for a token
   * @param {() => void} onToken is called when a token was given or forgotten
   */
  constructor(ask, onToken) {
    this.#ask = ask;
    this.onToken = onToken;
  }

  get hasToken() {
    return this.#token !== null;
  }

  forgetToken() {
    this.#token = null;
    this.onToken();
  }

  /**
   * Sends a request, and asks for a token if the server demands one. Throws Unreachable without an answer.
   *
   * @param {string} path relative to the page
   * @param {RequestInit} [init]
   * @returns {Promise<Response>}
   */
  async fetch(path, init = {}) {
    for (;;) {
      const token = this.#token;
      const request = new Request(new URL(path, document.baseURI), withToken(init, token));
      const response = await reach(fetch(request));
      if (response.status !== 401) {
        return response;
      }
      await response.body?.cancel();
      await this.#replaceToken(token, response.headers.get("www-authenticate") ?? "");
    }
  }

  /** @param {string} path @param {AbortSignal} [signal] @returns {Promise<string>} */
  async text(path, signal) {
    const response = await this.fetch(path, { signal });
    if (!response.ok) {
      throw await readRejection(response);
    }
    return reach(response.text());
  }

  /** Asks once for all requests that were rejected. @param {string | null} rejected @param {string} challenge */
  async #replaceToken(rejected, challenge) {
    if (this.#token !== rejected) {
      return;
    }
    this.#asking ??= this.#ask(challenge, rejected !== null).finally(() => {
      this.#asking = null;
    });
    this.#token = await this.#asking;
    this.onToken();
  }
}

/** @param {Response} response */
export async function readRejection(response) {
  const text = await reach(response.text());
  return new Rejected(
    response.status,
    messageIn(text) || response.statusText,
    response.headers.get("www-authenticate") ?? "",
  );
}

/** The sentence in a JSON-RPC error or in an envelope of failure. @param {string} text */
function messageIn(text) {
  try {
    return JSON.parse(text).error?.message ?? "";
  } catch {
    return "";
  }
}

/** @param {RequestInit} init @param {string | null} token @returns {RequestInit} */
function withToken(init, token) {
  const headers = new Headers(init.headers);
  if (token !== null) {
    headers.set("Authorization", `Bearer ${token}`);
  }
  return { ...init, headers, credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" };
}
