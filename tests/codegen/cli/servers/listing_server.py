"""An MCP server on stdio in a few lines, which only lists."""

import json
import sys

ARGUMENTS = {"type": "object", "properties": {"query": {"type": "string", "not": {"const": ""}}}, "required": ["query"]}
PAGES = {
    None: {"tools": [{"name": "search", "description": "Find books.", "inputSchema": ARGUMENTS}], "nextCursor": "2"},
    "2": {"tools": [{"name": "forget it", "inputSchema": {"type": "object", "additionalProperties": False}}]},
}
LISTS = {
    "initialize": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
        "serverInfo": {"name": "Library", "version": "1.0.0"},
    },
    "prompts/list": {"prompts": [{"name": "recommend"}]},
}

INVALID = {"tools": [{"name": "search"}]}
HOSTILE = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
HOSTILE["serverInfo"] = {"name": "Lib\x1b[2J\x9b\u202erary", "version": "1.0.0"}
ENDLESS = PAGES[None]

for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    method, cursor = request["method"], (request.get("params") or {}).get("cursor")
    pages = dict.fromkeys([None, "2"], ENDLESS) if "endless" in sys.argv else PAGES
    result: object = pages[cursor] if method == "tools/list" else LISTS.get(method)
    result = INVALID if "invalid" in sys.argv and method == "tools/list" else result
    result = HOSTILE if "hostile" in sys.argv and method == "initialize" else result
    code = -32603 if "mute" in sys.argv and method != "initialize" else -32601
    result = None if "mute" in sys.argv and method == "prompts/list" else result
    answer = {"error": {"code": code, "message": "unknown"}} if result is None else {"result": result}
    sys.stdout.write(f"{json.dumps({'jsonrpc': '2.0', 'id': request['id'], **answer})}\n")
    sys.stdout.flush()
