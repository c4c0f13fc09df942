// Server-sent events of a response.

import { reach } from "./connection.js";

/**
 * Yields the data of each event; comments keep the connection open and say nothing.
 *
 * @param {ReadableStream<Uint8Array>} body
 */
export async function* readEvents(body) {
  let rest = "";
  for await (const text of chunks(body)) {
    const blocks = (rest + text).split(/\r\n\r\n|\n\n|\r\r/);
    rest = /** @type {string} */ (blocks.pop());
    yield* blocks.map(dataOf).filter((data) => data !== "");
  }
  if (dataOf(rest) !== "") {
    yield dataOf(rest);
  }
}

/** @param {ReadableStream<any>} body */
async function* chunks(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let read = await reach(reader.read()); !read.done; read = await reach(reader.read())) {
      yield read.value;
    }
  } finally {
    await reach(reader.cancel());
  }
}

/** @param {string} block */
function dataOf(block) {
  const lines = block.split(/\r\n|\n|\r/).filter((line) => line.startsWith("data:"));
  return lines.map((line) => line.slice(5).replace(/^ /, "")).join("\n");
}
