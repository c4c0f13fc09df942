// Tabs, of which one panel is shown. Arrow keys move between them.

import { element, fill } from "./dom.js";

let lastId = 0;

/**
 * @param {string} label
 * @param {{name: string, make: () => Node}[]} tabs each panel is made when it is first shown
 * @returns {HTMLElement}
 */
export function makeTabs(label, tabs) {
  lastId += 1;
  const id = `tabs-${lastId}`;
  const panel = element("div", { role: "tabpanel", id: `${id}-panel`, className: "panel", tabIndex: 0 });
  /** @type {Map<string, Node>} */
  const made = new Map();
  const buttons = tabs.map(({ name }) =>
    element("button", { type: "button", role: "tab", id: `${id}-${name}`, "aria-controls": panel.id }, name),
  );
  const show = (/** @type {number} */ index) => {
    const { name, make } = tabs[index];
    for (const [each, button] of buttons.entries()) {
      mark(button, each === index);
    }
    panel.setAttribute("aria-labelledby", buttons[index].id);
    const content = made.get(name) ?? make();
    made.set(name, content);
    fill(panel, content);
  };
  buttons.forEach((button, index) => {
    button.addEventListener("click", () => show(index));
    button.addEventListener("keydown", (event) => move(event, buttons, index));
  });
  show(0);
  return element(
    "div",
    { className: "tabs" },
    element("div", { role: "tablist", "aria-label": label }, buttons),
    panel,
  );
}

/** @param {HTMLElement} button @param {boolean} isChosen */
function mark(button, isChosen) {
  button.setAttribute("aria-selected", String(isChosen));
  button.tabIndex = isChosen ? 0 : -1;
}

/** @param {KeyboardEvent} event @param {HTMLElement[]} buttons @param {number} index */
function move(event, buttons, index) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step !== undefined) {
    const next = buttons[(index + step + buttons.length) % buttons.length];
    next.focus();
    next.click();
    event.preventDefault();
  }
}
