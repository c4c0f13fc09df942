// Sentences for requests that failed.

import { element } from "../../views/elements.js";
import { Rejected, Unreachable } from "../protocol/connection.js";
import { ProtocolError } from "../protocol/mcp.js";
import { NoToken } from "./token_dialog.js";
import { jsonText } from "./values.js";

/** @param {any} error @returns {HTMLElement} */
export function showFault(error) {
  const { title, text, remedy, details } = explain(error);
  return element(
    "div",
    { class: "error", role: "alert" },
    element("p", {}, element("code", { class: "code" }, title), " ", text),
    remedy && element("p", { class: "note" }, remedy),
    typeof details === "object" && element("pre", {}, jsonText(details)),
  );
}

/** @param {any} error @returns {{title: string, text: string, remedy?: string, details?: any}} */
export function explain(error) {
  if (error instanceof Rejected) {
    return { title: `HTTP ${error.status}`, text: error.message, remedy: remedyOf(error) };
  }
  if (error instanceof ProtocolError) {
    return { title: String(error.data?.code ?? error.code), text: error.message, details: error.data };
  }
  if (error instanceof NoToken) {
    return { title: "No token", text: error.message, remedy: "Try again, and give one." };
  }
  if (error?.name === "AbortError") {
    return { title: "Cancelled", text: "The server was told to stop this call." };
  }
  if (error instanceof Unreachable) {
    return {
      title: "No answer",
      text: error.message,
      remedy: "It may have stopped, or the network may be gone.",
    };
  }
  return { title: "Failed", text: String(error?.message ?? error) };
}

/** @param {Rejected} error */
function remedyOf({ status, scopes, message }) {
  if (scopes.length > 0) {
    return `This needs a token with the scopes ${scopes.join(", ")}. Forget the present token to give another one.`;
  }
  if (status === 403 && message.includes("MCP_ALLOWED_ORIGINS")) {
    return `Behind a proxy with TLS, add ${location.origin} to MCP_ALLOWED_ORIGINS of the server.`;
  }
  return status === 503 ? "Try again later." : undefined;
}
