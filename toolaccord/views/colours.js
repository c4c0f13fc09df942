import { element } from "./elements.js";

/**
 * @param {string} name of a custom property
 * @returns {string} a colour that a canvas takes
 */
export function colour(name) {
  const probe = element("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}
