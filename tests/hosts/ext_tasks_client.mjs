// Calls tools as tasks with the official package for tasks; prints what became of each call as JSON.
// node ext_tasks_client.mjs PACKAGES URL, where PACKAGES is a folder node_modules.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [packages, url] = process.argv.slice(2);
const load = createRequire(`${packages}/`);
const { Client, StreamableHTTPClientTransport } = load("@modelcontextprotocol/client");
const tasks = await import(pathToFileURL(`${packages}/@modelcontextprotocol/ext-tasks/dist/client/index.js`));

const revision = "2026-07-28";
const client = new Client({ name: "tests", version: "1" }, { versionNegotiation: { mode: { pin: revision } } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));

// The package leaves sending to its host.
let sent = 0;
const rawDispatch = async (request, options) => {
  const { method, params } = request;
  const name = method === "tools/call" ? params.name : params.taskId;
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "Accept": "application/json, text/event-stream",
      "MCP-Protocol-Version": revision,
      "Mcp-Method": method,
      "Mcp-Name": name,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++sent, ...request }),
    signal: options?.signal,
  });
  const { result, error } = await response.json();
  return error ? { kind: "error", error } : { kind: "result", result };
};
const open = () => tasks.createTaskSessionFromClient(client, {
  endpointId: "jobs",
  rawDispatch,
  v2RequestFraming: {
    protocolVersion: revision,
    clientInfo: { name: "tests", version: "1" },
    clientCapabilities: { elicitation: {} },
  },
  onInputRequest: async (request) => {
    asked.push(request.params.message);
    return { action: "accept", content: { yes: true } };
  },
});
const asked = [];
const session = open();
const settle = async (name, args) => {
  const execution = await session.callTool(name, args);
  const { outcome } = await execution.settle();
  return { kind: execution.kind, status: outcome.status, isError: outcome.result?.isError, data: outcome.result?.structuredContent };
};
const answers = {
  counted: await settle("count", { to: 4 }),
  failed: await settle("count", { to: 904 }),
  paid: await settle("pay", { amount: 100 }),
};
const hanging = await session.callTool("count", { to: 901 });
const cancelled = hanging.settle();
await hanging.cancel();
answers.cancelled = (await cancelled).outcome.status;
const left = await session.callTool("count", { to: 5 });
let reference;
await left.handoff((given) => { reference = JSON.parse(JSON.stringify(given)); });
await session.close();
const second = open();
const resumed = await second.resumeTask(reference);
answers.resumed = (await resumed.settle()).outcome.result.structuredContent;
answers.unknown = await second.task("A".repeat(43)).snapshot().then(() => "found", (error) => error.error?.code ?? error.code ?? String(error));
await second.close();
await client.close();
console.log(JSON.stringify({ ...answers, asked }));
