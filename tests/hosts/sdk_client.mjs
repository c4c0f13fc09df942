// Reads a resource, gets a prompt and completes an argument with an official TypeScript SDK; prints the answers as JSON.
// node sdk_client.mjs PACKAGES REQUEST, where PACKAGES is a folder node_modules, and REQUEST is JSON.
import { createRequire } from "node:module";

const [packages, text] = process.argv.slice(2);
const request = JSON.parse(text);
const load = createRequire(`${packages}/`);
const v1 = "@modelcontextprotocol/sdk/client";
const v2 = "@modelcontextprotocol/client";
const sdk = request.sdk === 1
  ? { ...load(`${v1}/index.js`), ...load(`${v1}/stdio.js`), ...load(`${v1}/streamableHttp.js`) }
  : { ...load(v2), ...load(`${v2}/stdio`) };

const transport = request.url
  ? new sdk.StreamableHTTPClientTransport(new URL(request.url))
  : new sdk.StdioClientTransport({ command: request.command, env: process.env, stderr: "ignore" });
const options = request.revision === "2026-07-28" ? { versionNegotiation: { mode: { pin: request.revision } } } : {};
const client = new sdk.Client({ name: "tests", version: "1" }, options);
await client.connect(transport);
const { uri, prompt, arguments: given, argument } = request;
const answers = {
  resources: (await client.listResources()).resources.map((each) => each.uri),
  contents: (await client.readResource({ uri })).contents.map((each) => each.text),
  prompts: (await client.listPrompts()).prompts.map((each) => each.name),
  messages: (await client.getPrompt({ name: prompt, arguments: given })).messages.map((each) => each.content.text),
  completions: (await client.complete({ ref: { type: "ref/prompt", name: prompt }, argument })).completion.values,
};
await client.close();
console.log(JSON.stringify(answers));
