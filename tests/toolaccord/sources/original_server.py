"""An MCP server on stdio in a few lines, whose tools answer, fail, hang or end the process."""

import json
import os
import sys

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": False}
NUMBER = {"type": "integer"}
SUM = {"type": "object", "properties": {"sum": NUMBER}, "required": ["sum"]}
ADD = {
    "type": "object",
    "properties": {"a": NUMBER, "b": NUMBER},
    "required": ["a", "b"],
    "additionalProperties": False,
}
TOOLS = [
    {"name": "add", "inputSchema": ADD, "outputSchema": SUM, "annotations": {"readOnlyHint": True}},
    *({"name": name, "inputSchema": SCHEMA} for name in ("echo", "fail", "hang", "exit")),
]
INITIALIZED = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "O", "version": "1"},
}


def call(name: str, arguments: dict[str, object]) -> object:
    """Return the result of a tool; None for an unknown one."""
    if name == "exit":
        sys.exit()
    if name == "environment":
        return {"content": [], "structuredContent": dict.fromkeys(os.environ)}
    if name == "add":
        result = {"sum": int(str(arguments["a"])) + int(str(arguments["b"]))}
        return {"content": [{"type": "text", "text": json.dumps(result)}], "structuredContent": result}
    text = [{"type": "text", "text": arguments.get("text")}]
    return {"content": text, "isError": name == "fail"} if name in {"echo", "fail"} else None


for line in sys.stdin:
    request = json.loads(line)
    params = request.get("params") or {}
    if "id" not in request or params.get("name") == "hang":
        continue
    lists: dict[str, object] = {"initialize": INITIALIZED, "tools/list": {"tools": TOOLS}}
    is_call = request["method"] == "tools/call"
    found = call(params["name"], params["arguments"]) if is_call else lists.get(request["method"])
    answer = {"error": {"code": -32601, "message": "unknown"}} if found is None else {"result": found}
    sys.stdout.write(f"{json.dumps({'jsonrpc': '2.0', 'id': request['id'], **answer})}\n")
    sys.stdout.flush()
