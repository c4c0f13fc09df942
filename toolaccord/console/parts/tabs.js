// Tabs, of which one panel is shown. Arrow keys move between them.

import { element } from "../../views/elements.js";

let lastId = 0;

/**
 * Makes tabs. Panels that were shown stay in the page: a frame that is moved would load anew.
 *
 * @param {string} label
 * @param {{name: string, make: () => Node}[]} tabs each panel is filled when it is first shown
 * @returns {HTMLElement}
 */
export function makeTabs(label, tabs) {
  lastId += 1;
  const ids = tabs.map(({ name }) => `tabs-${lastId}-${name}`);
  const panels = ids.map((id) =>
    element("div", { role: "tabpanel", id: `${id}-panel`, "aria-labelledby": id, tabindex: 0, hidden: true }),
  );
  const buttons = tabs.map(({ name }, index) =>
    element("button", { type: "button", role: "tab", id: ids[index], "aria-controls": panels[index].id }, name),
  );
  const show = (/** @type {number} */ index) => {
    if (!panels[index].hasChildNodes()) {
      panels[index].append(tabs[index].make());
    }
    for (const [each, button] of buttons.entries()) {
      mark(button, panels[each], each === index);
    }
  };
  buttons.forEach((button, index) => {
    button.addEventListener("click", () => show(index));
    button.addEventListener("keydown", (event) => move(event, buttons, index));
  });
  show(0);
  return element("div", {}, element("div", { role: "tablist", "aria-label": label }, buttons), panels);
}

/** @param {HTMLElement} button @param {HTMLElement} panel @param {boolean} isChosen */
function mark(button, panel, isChosen) {
  button.setAttribute("aria-selected", String(isChosen));
  button.tabIndex = isChosen ? 0 : -1;
  panel.hidden = !isChosen;
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
