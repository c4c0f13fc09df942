// A host of MCP Apps made with the official AppBridge. The test decides what the server answers.
import { AppBridge, PostMessageTransport } from "/bridge.mjs";

const frame = document.querySelector("iframe");
const calls = [];
const opened = [];
const held = [];
let isHeld = false;
let answers = [];

function listen(bridge) {
  bridge.oncalltool = async ({ name, arguments: input }) => {
    calls.push({ name, input });
    if (isHeld) {
      return new Promise((resolve) => held.push(resolve));
    }
    const answer = answers.shift();
    if (answer === undefined) {
      throw new Error("The host denied the call");
    }
    return answer;
  };
  bridge.onopenlink = async ({ url }) => {
    opened.push(url);
    return {};
  };
  bridge.onsizechange = ({ height }) => {
    frame.style.height = `${height}px`;
  };
  return new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });
}

window.host = {
  calls,
  opened,
  held,
  // From now on the test answers each call, in the order that it likes.
  hold: () => {
    isHeld = true;
  },
  // Sends a request of a method that AppBridge does not have.
  ask: (method) =>
    new Promise((resolve) => {
      const id = `ask ${method}`;
      window.addEventListener(
        "message",
        ({ data }) => data?.id === id && resolve(data.error ? { error: data.error } : { result: data.result }),
      );
      frame.contentWindow.postMessage({ jsonrpc: "2.0", id, method, params: {} }, "*");
    }),
  answer: (results) => {
    answers = results;
  },
  start: async (hostContext) => {
    const capabilities = { openLinks: {}, serverTools: {} };
    const bridge = new AppBridge(null, { name: "test host", version: "1" }, capabilities, { hostContext });
    window.host.bridge = bridge;
    const ready = listen(bridge);
    await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
    frame.src = "https://view.test/";
    await ready;
  },
};
