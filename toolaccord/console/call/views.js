// Views of results, in frames that reach nothing but this page.

import { MountedView } from "../../views/bridge.js";
import { element } from "../../views/elements.js";
import { fill } from "../parts/dom.js";
import { showFault } from "../parts/faults.js";
import { shorten } from "../parts/values.js";

const VARIABLES = {
  "--color-background-primary": "--card",
  "--color-background-secondary": "--page",
  "--color-text-primary": "--text",
  "--color-text-secondary": "--faint",
  "--color-text-danger": "--bad",
  "--color-border-primary": "--line",
  "--color-ring-primary": "--accent",
};
const dark = matchMedia("(prefers-color-scheme: dark)");

/** Makes the views of tools. */
export class Views {
  #app;
  /** @type {Map<string, Promise<string>>} */
  #documents = new Map();
  /** @type {Map<Element, {view: MountedView, stop: AbortController}>} views by their places */
  #mounted = new Map();

  /** @param {import("../main.js").App} app */
  constructor(app) {
    this.#app = app;
    dark.addEventListener("change", () => {
      for (const { view } of this.#mounted.values()) {
        view.setContext(context());
      }
    });
  }

  /** Closes the views that left the page, and ends their calls. */
  closeUnseen() {
    for (const [place, { view, stop }] of this.#mounted) {
      if (!place.isConnected) {
        view.close();
        stop.abort();
        this.#mounted.delete(place);
      }
    }
  }

  /** Forgets what another token may not see. */
  forget() {
    this.#documents.clear();
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
    const uri = tool._meta?.ui?.resourceUri;
    return uri === undefined ? null : () => this.#make(tool, uri, values, result);
  }

  /** @param {any} tool @param {string} uri @param {any} values @param {any} result */
  #make(tool, uri, values, result) {
    const place = element("div", { class: "view" }, element("p", { class: "note" }, "Loads the view."));
    this.#mount(place, tool, uri, values, result).catch((error) => fill(place, showFault(error)));
    return place;
  }

  /** @param {Element} place @param {any} tool @param {string} uri @param {any} values @param {any} result */
  async #mount(place, tool, uri, values, result) {
    const html = await this.#read(uri);
    if (!place.isConnected) {
      return;
    }
    const stop = new AbortController();
    const view = new MountedView({
      title: `View of ${tool.title ?? tool.name}`,
      frame: new URL("views/frame.html", document.baseURI).href,
      html,
      context: context(),
      callTool: (name, input) => this.#call(name, input, stop.signal),
      openLink,
    });
    this.#mounted.set(place, { view, stop });
    fill(place, view.frame);
    view.sendInput(values);
    view.sendResult(result);
  }

  /** @param {string} uri */
  #read(uri) {
    const known = this.#documents.get(uri);
    const document = known ?? this.#load(uri);
    this.#documents.set(uri, document);
    document.catch(() => this.#documents.delete(uri));
    return document;
  }

  /** @param {string} uri */
  async #load(uri) {
    const { contents } = await this.#app.client.request("resources/read", { uri });
    return contents[0].text ?? new TextDecoder().decode(Uint8Array.from(atob(contents[0].blob), byteOf));
  }

  /** Calls a tool for a view. Only its reader lets it write. @param {string} name @param {any} input @param {AbortSignal} signal */
  async #call(name, input, signal) {
    const tool = await this.#app.toolList.find(name);
    if (!tool) {
      throw new Error(`There is no tool ${name}.`);
    }
    const question = `The view asks to call ${name}, which writes, with ${shorten(JSON.stringify(input))}. Shall it?`;
    if (!tool.annotations?.readOnlyHint && !confirm(question)) {
      throw new Error("The call was refused.");
    }
    const refuse = () => Promise.reject(new Error("The tool asks questions: call it from its page."));
    const watcher = { onProgress: () => {}, onTask: () => {}, answer: refuse };
    const options = { signal, schema: tool.inputSchema, meta: {} };
    return this.#app.caller.call({ name, arguments: input }, watcher, options);
  }
}

/** Opens a page of the web, which learns nothing of this one. @param {string} url */
export function openLink(url) {
  const { protocol, href } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") {
    throw new Error(`Links to ${protocol} are not opened.`);
  }
  open(href, "_blank", "noopener,noreferrer");
}

/** What a view should look like: as this page does. */
function context() {
  const style = getComputedStyle(document.documentElement);
  const probe = document.body.appendChild(element("span", { hidden: true }));
  const variables = Object.entries(VARIABLES).map(([name, own]) => [
    name,
    colourOf(probe, style.getPropertyValue(own)),
  ]);
  probe.remove();
  const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return {
    theme: dark.matches ? "dark" : "light",
    locale,
    timeZone,
    styles: { variables: Object.fromEntries(variables) },
  };
}

/** The colour of the present scheme. @param {HTMLElement} probe @param {string} text may name both */
function colourOf(probe, text) {
  probe.style.color = text;
  return getComputedStyle(probe).color;
}

/** @param {string} character */
function byteOf(character) {
  return character.charCodeAt(0);
}
