"""Check that every key of the contract language is compared or left out on purpose."""

from typing import Any

from toolaccord_codegen.rules.metaschema import load_metaschema

COMPARED = {
    "ServerContract": ["server", "dialect", "transports", "access", "sessions", "settings", "sources", "events", "asks", "tools", "resources", "contracts_as_resources", "prompts"],
    "Server": ["name", "title", "version", "description", "instructions"],
    "AgentContract": ["agent", "access", "settings", "sources", "uses", "cache", "tasks", "retry", "limits", "batch", "events", "metrics", "progress", "input", "output"],
    "Agent": ["name", "title", "version", "description", "instructions", "model", "skills"],
    "Use": ["contract", "version", "url", "token", "credentials", "command", "max_concurrent", "model_only", "tools"],
    "Credentials": ["issuer", "client_id", "client_secret"],
    "Limits": ["timeout_ms", "p95_ms", "max_concurrent"],
    "Batch": ["argument", "all", "size", "delay_ms", "min_success_rate", "result", "queue"],
    "Metric": ["kind", "description", "value", "buckets", "when", "labels"],
    "Access": ["content_length", "http", "scopes"],
    "AgentAccess": ["scopes"],
    "OperationAccess": ["scopes"],
    "ArgumentKey": ["scheme", "name", "setting"],
    "BearerToken": ["scheme", "setting"],
    "Setting": ["env", "description", "type", "default", "required", "secret", "minimum", "maximum", "minLength", "maxLength", "pattern", "enum"],
    "Source": ["kind"],
    "Tool": ["name", "title", "version", "description", "transports", "access", "effects", "parameters", "returns", "errors", "conditions", "cache", "idempotency", "pagination", "deadline", "rate_limit", "progress", "content", "logging", "asks", "task", "view", "fresh", "examples", "released_on", "versions"],
    "Prompt": ["name", "title", "description", "parameters", "messages", "access", "errors", "rate_limit", "deadline", "asks"],
    "Resource": ["name", "title", "description", "uri", "uri_template", "parameters", "mime_type", "content", "returns", "static", "access", "errors", "rate_limit", "deadline", "cache", "subscribe", "asks"],
    "Static": ["text", "file"],
    "CacheHint": ["ttl_s", "scope"],
    "OlderVersion": ["version", "released_on", "deprecated_on", "sunset_on", "parameters", "returns", "to_next"],
    "DeclaredSteps": ["parameters", "returns"],
    "Effects": ["reads", "adds", "writes", "publishes", "privileges", "elsewhere"],
    "Event": ["description", "source", "subject", "channel", "encoding", "symbols", "payload", "duplicate_window_s"],
    "Ask": ["kind"],
    "Elicitation": ["kind", "description", "optional", "message", "parameters", "schema"],
    "Sampling": ["kind", "description", "optional", "message", "parameters", "max_tokens", "system_prompt"],
    "Roots": ["kind", "description", "optional"],
    "Error": ["code", "description", "http", "jsonrpc", "retryable", "details", "when", "name"],
    "Detail": ["type"],
    "Condition": ["ordered", "strict", "span", "at_most", "code"],
    "CachePolicy": ["ttl_s", "provisional_ttl_s", "precision", "bypass", "store", "memory_ttl_s"],
    "Idempotency": ["key_from", "window_s", "store"],
    "Deadline": ["timeout_ms", "p95_ms"],
    "TaskPolicy": ["mode", "store", "timeout_s", "ttl_s", "poll_ms", "concurrency", "max_waiting", "redeliver_after_s", "max_attempts", "after_crash", "max_result_bytes", "asks_first"],
    "AgentTasks": ["store", "ttl_s", "max_waiting", "redeliver_after_s", "max_attempts", "max_result_bytes"],
    "RateLimit": ["per", "calls", "window_s", "store"],
}  # fmt: skip
NOT_COMPARED = {
    *((kind, key) for kind in ("ServerContract", "AgentContract") for key in ("$schema", "contract")),
    *((kind, "$defs") for kind in ("ServerContract", "AgentContract")),  # seen through the schemas that refer to them
    ("AgentContract", "server"),  # never there
    ("Resource", "effects"),  # clients do not see them; their privileges are compared
    ("Prompt", "effects"),  # clients do not see them
    ("ServerContract", "lifespan"),  # the state of handlers, which nobody outside sees
    ("Server", "list_budget_bytes"),  # nobody outside sees it
    ("Detail", "description"),
}  # fmt: skip


def test_every_key_of_a_contract_is_compared_or_left_out_on_purpose() -> None:
    for name, keys in COMPARED.items():
        known: dict[str, Any] = load_metaschema()["$defs"][name]["properties"]
        left_out = {key for part, key in NOT_COMPARED if part == name}
        assert set(known) == {*keys, *left_out}, f"{name}: teach codegen/toolaccord_codegen/breaking its keys"
