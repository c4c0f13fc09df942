// A small curve without axes; the table beside it has the numbers.

import { drawing } from "./dom.js";

const WIDTH = 96;
const HEIGHT = 20;

/** A curve of the last values. */
export class Sparkline {
  #line = drawing("polyline", { fill: "none", "vector-effect": "non-scaling-stroke" });

  /** @param {number} length the number of values that fill the width */
  constructor(length) {
    this.length = length;
    this.element = drawing(
      "svg",
      { class: "sparkline", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, "aria-hidden": "true" },
      this.#line,
    );
  }

  /** @param {number[]} values the oldest first */
  draw(values) {
    const highest = Math.max(...values, 0) || 1;
    const step = WIDTH / (this.length - 1);
    const start = WIDTH - step * (values.length - 1);
    const points = values.map(
      (value, index) => `${start + index * step},${HEIGHT - 1 - (value / highest) * (HEIGHT - 2)}`,
    );
    this.#line.setAttribute("points", points.join(" "));
  }
}
