// The console: pages by the fragment of the URL, such as `#/tools/get_candles`.

import { element } from "../views/elements.js";
import { Caller } from "./call/calls.js";
import { Views } from "./call/views.js";
import { makePromptsPage } from "./pages/prompts.js";
import { makeResourcesPage } from "./pages/resources.js";
import { makeStatusPage } from "./pages/status.js";
import { KnownTasks, makeTasksPage } from "./pages/tasks.js";
import { ToolList, makeToolsPage } from "./pages/tools.js";
import { fill } from "./parts/dom.js";
import { showFault } from "./parts/faults.js";
import { askForToken } from "./parts/token_dialog.js";
import { Connection } from "./protocol/connection.js";
import { Contract } from "./protocol/contract.js";
import { McpClient } from "./protocol/mcp.js";

/**
 * @typedef {object} App
 * @property {Connection} connection
 * @property {McpClient} client
 * @property {Caller} caller
 * @property {Contract} contract
 * @property {KnownTasks} tasks
 * @property {Views} views
 * @property {ToolList} toolList
 * @property {any} discovered the answer of `server/discover`
 * @property {any} info what the server says of itself
 *
 * @typedef {object} Page
 * @property {(main: Element, chosen: string, signal: AbortSignal) => Promise<void>} show shows it, unless it was left
 * @property {() => void} [forget] forgets what another token may not see
 */

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const navigation = /** @type {HTMLElement} */ (document.getElementById("pages"));
const tokenButton = /** @type {HTMLButtonElement} */ (document.getElementById("token"));
const connection = new Connection(askForToken, onToken);
const client = new McpClient(connection);
const app = /** @type {App} */ ({
  connection,
  client,
  caller: new Caller(client),
  contract: new Contract(connection),
  tasks: new KnownTasks(),
  toolList: new ToolList(client),
  discovered: null,
  info: {},
});
app.views = new Views(app);
/** @type {Record<string, {label: string, page: Page, isThere: (capabilities: any) => boolean}>} */
const PAGES = {
  tools: { label: "Tools", page: makeToolsPage(app), isThere: () => true },
  resources: { label: "Resources", page: makeResourcesPage(app), isThere: (each) => each.resources },
  prompts: { label: "Prompts", page: makePromptsPage(app), isThere: (each) => each.prompts },
  tasks: {
    label: "Tasks",
    page: makeTasksPage(app),
    isThere: (each) => each.extensions?.["io.modelcontextprotocol/tasks"],
  },
  status: { label: "Status", page: makeStatusPage(app), isThere: () => true },
};
let shown = new AbortController();
let isFirst = true;
/** @type {Promise<void> | null} */
let discovering = null;

/** Shows the page that the URL names. */
async function show() {
  shown.abort();
  shown = new AbortController();
  const { signal } = shown;
  const [, name, chosen] = /^#\/([a-z]*)\/?(.*)$/.exec(location.hash) ?? ["", "tools", ""];
  const known = Object.hasOwn(PAGES, name) ? PAGES[name] : PAGES.tools;
  try {
    await discover();
    signal.throwIfAborted();
    await known.page.show(main, decodeURIComponent(chosen), signal);
  } catch (error) {
    if (!signal.aborted) {
      fill(main, showFailure(error));
    }
  }
  if (!signal.aborted) {
    app.views.closeUnseen();
    markPage(known.label);
    focusHeading();
  }
}

/** Asks once what the server is; a failure is asked for anew. */
function discover() {
  discovering ??= introduce().catch((error) => {
    discovering = null;
    throw error;
  });
  return discovering;
}

async function introduce() {
  app.discovered = await client.request("server/discover");
  app.info = app.discovered._meta?.["io.modelcontextprotocol/serverInfo"] ?? app.discovered.serverInfo ?? {};
  const { name = "server", title, version = "" } = app.info;
  fill(
    /** @type {Element} */ (document.getElementById("server")),
    element("b", {}, title ?? name),
    " ",
    element("span", {}, `${name} ${version}`),
  );
  const links = Object.entries(PAGES).filter(([, { isThere }]) => isThere(app.discovered.capabilities ?? {}));
  fill(
    navigation,
    links.map(([key, { label }]) => element("a", { href: `#/${key}` }, label)),
  );
}

/** @param {any} error */
function showFailure(error) {
  const again = element("button", { type: "button", class: "primary", onclick: show }, "Try again");
  return element(
    "article",
    { class: "detail alone" },
    element("h1", { tabindex: -1 }, "Console"),
    showFault(error),
    element("p", { class: "actions" }, again),
  );
}

/** @param {string} label */
function markPage(label) {
  for (const link of navigation.children) {
    if (link.textContent === label) {
      link.setAttribute("aria-current", "page");
    } else {
      link.removeAttribute("aria-current");
    }
  }
}

/** Tells readers of screens where they are; the first page needs no word. */
function focusHeading() {
  const heading = main.querySelector("h1");
  document.title = [heading?.textContent, app.info.title ?? app.info.name].filter(Boolean).join(" · ");
  if (!isFirst) {
    heading?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  isFirst = false;
}

/** Another token may see other tools. */
function onToken() {
  tokenButton.hidden = !connection.hasToken;
  app.toolList.forget();
  app.views.forget();
  for (const { page } of Object.values(PAGES)) {
    page.forget?.();
  }
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select, dialog");
  const search = main.querySelector("input[type=search]");
  if (event.key === "/" && !isTyping && search instanceof HTMLInputElement) {
    event.preventDefault();
    search.focus();
  }
}

/** Leaves nothing that the token's owner has seen, or that still runs for them. */
function forgetToken() {
  app.caller.abort();
  shown.abort();
  fill(main);
  app.views.closeUnseen();
  connection.forgetToken();
  show();
}

tokenButton.addEventListener("click", forgetToken);
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
document.addEventListener("keydown", onKey);
addEventListener("hashchange", show);
show();
