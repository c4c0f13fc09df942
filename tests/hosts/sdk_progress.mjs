// Calls the tool `count` over stdio with an official TypeScript SDK; prints which progress it passed on, and which late.
// node sdk_progress.mjs PACKAGES REQUEST, where PACKAGES is a folder node_modules, and REQUEST is JSON.
import { createRequire } from "node:module";

const [packages, text] = process.argv.slice(2);
const request = JSON.parse(text);
const load = createRequire(`${packages}/`);
const sdk = request.sdk === 1
  ? { ...load("@modelcontextprotocol/sdk/client/index.js"), ...load("@modelcontextprotocol/sdk/client/stdio.js") }
  : { ...load("@modelcontextprotocol/client"), ...load("@modelcontextprotocol/client/stdio") };

const client = new sdk.Client({ name: "tests", version: "1" });
const late = [];
client.onerror = (error) => {
  const sent = /unknown token: (.*)$/.exec(error.message);
  late.push(sent ? JSON.parse(sent[1]).params.progress : error.message);
};
const [command, ...args] = request.command;
await client.connect(new sdk.StdioClientTransport({ command, args, env: process.env, stderr: "ignore" }));
const received = [];
const options = { onprogress: (progress) => received.push(progress.progress) };
const call = { name: "count", arguments: { to: request.to } };
await (request.sdk === 1 ? client.callTool(call, undefined, options) : client.callTool(call, options));
await new Promise((resolve) => setImmediate(resolve));
await client.close();
console.log(JSON.stringify({ received, late }));
