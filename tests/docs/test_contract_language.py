"""Prove the statements of docs/contract-language.md."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from tests.codegen.snippets import list_snippets
from toolaccord.contract.agents import Queue
from toolaccord.contract.policies import Idempotency, RateLimit, TaskPolicy
from toolaccord.s_expressions.writer import encode
from toolaccord.schema.validator import SchemaValidator
from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.diagnostics import ContractProblems
from toolaccord_codegen.emit.render import CONTENT_CLASSES, render_tree
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.lint.linter import lint_snapshot
from toolaccord_codegen.lint.tool_list import published_tools
from toolaccord_codegen.loading.scalars import is_in_range
from toolaccord_codegen.naming import Identifier
from toolaccord_codegen.snapshots import read_snapshot, require_valid

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/contract-language.md").read_text(encoding="utf-8")
LANGUAGE = json.loads((ROOT / "contracts/contract.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    """The page's contract in a folder with the dialects that a new project has."""
    match = re.search(r"```json contract=(\S+)\n(.*?)```", PAGE, re.DOTALL)
    assert match
    path = tmp_path / "contracts" / f"{match[1]}.json"
    path.parent.mkdir(parents=True)
    path.write_text(match[2], encoding="utf-8")
    copy(ROOT / "contracts/dialects.json", tmp_path / "contracts")
    return path


def test_the_contract_of_the_page_compiles(contract: Path) -> None:
    servers = compile_folder(contract.parents[1]).contracts
    assert [(server.name, [tool.name for tool in server.tools]) for server in servers] == [
        ("books-mcp", ["list_loans"])
    ]


def test_the_contract_of_the_page_passes_lint(contract: Path) -> None:
    assert lint_snapshot(require_valid(read_snapshot(contract.parents[1])), date(2027, 1, 1)).findings == ()


@pytest.mark.parametrize(
    "right, wrong",
    [
        ('"maximum": 50', '"maximun": 50'),
        ("#/$defs/Pagination", "#/$defs/Pagintion"),
    ],
)
def test_the_output_of_the_compiler_is_that_of_the_page(contract: Path, right: str, wrong: str) -> None:
    contract.write_text(contract.read_text(encoding="utf-8").replace(right, wrong), encoding="utf-8")
    with pytest.raises(ContractProblems) as raised:
        compile_folder(contract.parents[1])
    shown = [re.sub(r"\S*contracts/", "contracts/", str(problem)) for problem in raised.value.problems]
    printed = {re.sub(r":\d+:\d+:", ":", line) for line in shown}
    promised = {re.sub(r":\d+:\d+:", ":", line) for line in PAGE.split("```text\n")[1].split("```")[0].splitlines()}
    assert printed & promised


def keys(schema: Any) -> set[str]:
    """Every key that a contract, a shared file or a dialect may have; no names in snippets."""
    if isinstance(schema, list):
        return {key for part in schema for key in keys(part)}
    if not isinstance(schema, dict):
        return set()
    found = set(schema["properties"]) if isinstance(schema.get("properties"), dict) else set()
    return found | {key for name, part in schema.items() if name != "defaultSnippets" for key in keys(part)}


def test_the_page_explains_every_key_of_the_language() -> None:
    assert {key for key in keys(LANGUAGE) if key not in PAGE} == set()


def test_the_page_lists_each_snippet_for_editors() -> None:
    table = PAGE.split("| at | snippets |\n")[1].split("\n\n")[0]
    labels = [label for row in table.splitlines()[1:] for label in re.findall(r"`([^`]+)`", row.split("|")[2])]
    assert sorted(labels) == sorted(each.label for each in list_snippets())


def test_the_page_lists_the_settings_and_limits_of_each_kind_of_source() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \| ([^|]*) \| `call\.<name>`", PAGE, re.MULTILINE)
    shown = {kind: [re.findall(r"`(\w+)`", cell) for cell in (settings, limits)] for kind, settings, limits in rows}
    known = {}
    for branch in LANGUAGE["$defs"]["Source"]["allOf"]:
        kind = branch["if"]["properties"]["kind"]["const"]
        parts = LANGUAGE["$defs"][branch["then"]["$ref"].rpartition("/")[2]]["properties"]
        settings = [key for key, part in parts.items() if "$ref" in part or "additionalProperties" in part]
        known[kind] = [settings, [key for key in parts if key not in settings and key != "kind"]]
    assert shown == known
    assert set(shown) == set(LANGUAGE["$defs"]["Source"]["else"]["properties"]["kind"]["enum"])


@pytest.mark.parametrize("source", re.findall(r"```json source\n(.*?)```", PAGE, re.DOTALL))
def test_a_source_of_the_page_compiles(contract: Path, source: str) -> None:
    known = re.sub(r'"setting": "\w+"', '"setting": "catalogue_url"', source)
    ((name, declared),) = json.loads(f"{{{known}}}").items()
    whole = json.loads(contract.read_text(encoding="utf-8"))
    whole["sources"][name] = declared
    whole["settings"]["catalogue_url"]["secret"] = True  # as settings of credentials are
    contract.write_text(json.dumps(whole), encoding="utf-8")
    (server,) = compile_folder(contract.parents[1]).contracts
    assert [each.kind for each in server.sources] == ["http", declared["kind"]]


def test_the_page_explains_caching_key_by_key() -> None:
    section = PAGE.split("## Caching\n")[1].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(LANGUAGE["$defs"]["CachePolicy"]["properties"])


def test_the_shared_cache_of_the_page_compiles_and_passes_lint(contract: Path) -> None:
    match = re.search(r"```json cache\n(.*?)```", PAGE, re.DOTALL)
    assert match
    example, whole = json.loads(match[1]), json.loads(contract.read_text(encoding="utf-8"))
    whole["settings"] |= example["settings"]
    whole["sources"] |= example["sources"]
    whole["tools"][0]["cache"] = example["cache"]
    contract.write_text(json.dumps(whole), encoding="utf-8")
    (server,) = compile_folder(contract.parents[1]).contracts
    cache = server.tools[0].cache
    assert cache
    assert (cache.store, cache.memory_ttl_s) == ("state", 1)
    assert lint_snapshot(require_valid(read_snapshot(contract.parents[1])), date(2027, 1, 1)).findings == ()


def test_the_transports_of_the_page_compile_and_pass_lint(contract: Path) -> None:
    match = re.search(r"```json transports\n(.*?)```", PAGE, re.DOTALL)
    assert match
    example, whole = json.loads(match[1]), json.loads(contract.read_text(encoding="utf-8"))
    settings = whole["settings"] | example["settings"]
    whole |= example | {"settings": settings}
    for number, error in enumerate(whole["tools"][0]["errors"][:2]):
        error["jsonrpc"] = -32010 - number
    contract.write_text(json.dumps(whole), encoding="utf-8")
    (server,) = compile_folder(contract.parents[1]).contracts
    assert server.transports == ("stdio", "http", "content_length")
    assert {name: key.scheme for name, key in server.access.items()} == {"content_length": "argument", "http": "bearer"}
    assert lint_snapshot(require_valid(read_snapshot(contract.parents[1])), date(2027, 1, 1)).findings == ()


def test_the_published_schema_of_the_page_compiles_and_checks_what_the_page_says(contract: Path) -> None:
    match = re.search(r"```json schema\n(.*?)```", PAGE, re.DOTALL)
    assert match
    whole = json.loads(contract.read_text(encoding="utf-8"))
    whole["tools"][0] |= {"parameters": json.loads(match[1]), "errors": [], "returns": {"type": "object"}}
    whole["tools"][0] |= {"examples": [{"arguments": {"links": {"a": {"href": "here"}}}, "returns": {}}]}
    for key in ("pagination", "versions", "conditions", "cache"):
        whole["tools"][0].pop(key, None)
    contract.write_text(json.dumps(whole), encoding="utf-8")
    (server,) = compile_folder(contract.parents[1]).contracts
    validator = SchemaValidator(dict(server.tools[0].parameters))
    assert [each.at for each in validator.violations({"links": {"A": {"href": "x"}}})] == ["/links/A"]
    assert [each.at for each in validator.violations({"links": {"a": {}}})] == ["/links/a/href"]
    assert validator.violations({"links": {"a": {"href": "no address"}}}) == []


def test_the_content_of_the_page_compiles_and_its_handler_returns_what_the_contract_admits(contract: Path) -> None:
    declared, handler = (re.search(rf"```{kind} content\n(.*?)```", PAGE, re.DOTALL) for kind in ("json", "python"))
    assert declared
    assert handler
    whole = json.loads(contract.read_text(encoding="utf-8"))
    whole["tools"][0] |= json.loads(declared[1])
    contract.write_text(json.dumps(whole), encoding="utf-8")
    compiled = compile_folder(contract.parents[1])
    layout = Layout(package="acme", handlers="handlers", sandbox=None, contracts="contracts", command="generate")
    server = render_tree(compiled, layout)["library/books/server.py"]
    returned = re.search(r"-> (WithContent\[.*?\]):", handler[1])
    assert returned
    annotation = re.sub(r"\b(WithContent|Text|Image|ResourceLink)\b", r"content.\1", returned[1])
    assert re.sub(r"\s", "", annotation.replace("Loan", "models.Loan | Row")) in re.sub(r"\s", "", server)


def test_the_page_explains_each_kind_of_content() -> None:
    section = PAGE.split("## Content\n")[1].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \| `(\w+)", section, re.MULTILINE) == list(CONTENT_CLASSES.items())


def test_the_asks_of_the_page_compile_and_pass_lint(contract: Path) -> None:
    match = re.search(r"```json asks\n(.*?)```", PAGE, re.DOTALL)
    assert match
    whole = json.loads(contract.read_text(encoding="utf-8")) | json.loads(match[1])
    tool = whole["tools"][0]
    bypass = tool.pop("cache")["bypass"]
    del tool["parameters"]["properties"][bypass]
    tool["asks"] = list(whole["asks"])
    contract.write_text(json.dumps(whole), encoding="utf-8")
    (server,) = compile_folder(contract.parents[1]).contracts
    assert [(ask.name, ask.kind) for ask in server.asks] == [
        ("renewal", "elicitation"),
        ("blurb", "sampling"),
        ("folders", "roots"),
    ]
    assert server.sessions
    assert lint_snapshot(require_valid(read_snapshot(contract.parents[1])), date(2027, 1, 1)).findings == ()


def test_the_page_explains_effects_key_by_key() -> None:
    section = PAGE.split("## Effects\n")[1].split("\n### ")[0]
    assert {*re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)} == {*LANGUAGE["$defs"]["Effects"]["properties"]}


@pytest.mark.parametrize(
    "row, effects",
    [
        (0, {"reads": ["catalogue"]}),
        (1, None),
        (1, {"adds": ["stream"], "publishes": ["loan_overdue"]}),
        (2, {"adds": ["catalogue"], "publishes": ["loan_overdue"]}),
        (2, {"adds": ["stream"], "writes": ["catalogue"]}),
    ],
)
def test_effects_give_the_annotations_of_the_page(contract: Path, row: int, effects: Any) -> None:
    example, events = (re.search(rf"```json {name}\n(.*?)```", PAGE, re.DOTALL) for name in ("effects", "events"))
    assert example
    assert events
    written, other = json.loads(contract.read_text(encoding="utf-8")), json.loads(events[1])
    written["settings"] |= other["settings"]
    written["sources"] |= other["sources"]
    pool = {"min_connections": 1, "max_connections": 2, "idle_timeout_s": 60, "connection_timeout_s": 1}
    written["sources"]["postgres"] = {"kind": "postgresql", "url": {"setting": "nats_url"}} | pool
    written["events"] = other["events"]
    del written["tools"][0]["cache"]
    written["tools"][0]["effects"] = effects or json.loads(example[1])
    contract.write_text(json.dumps(written), encoding="utf-8")
    assert compile_folder(contract.parents[1]).contracts
    snapshot = require_valid(read_snapshot(contract.parents[1]))
    dialects = {name: value for name, (_, value) in snapshot.dialects.items()}
    (tool,) = published_tools(snapshot.contract(next(iter(snapshot.contracts))), dialects).values()
    table = PAGE.split("### Annotations\n")[1].split("\n## ")[0]
    hints = re.findall(r"^\| .* \| (true|false) \| (true|false) \| (true|false) \|", table, re.MULTILINE)[row]
    names = ("readOnlyHint", "destructiveHint", "idempotentHint")
    assert {name: tool["annotations"][name] for name in names} == dict(
        zip(names, map("true".__eq__, hints), strict=True)
    )


def test_the_page_explains_events_key_by_key() -> None:
    section = PAGE.split("## Events\n")[1].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(LANGUAGE["$defs"]["Event"]["properties"])


def test_the_event_of_the_page_compiles_and_passes_lint(contract: Path) -> None:
    match = re.search(r"```json events\n(.*?)```", PAGE, re.DOTALL)
    assert match
    example, whole = json.loads(match[1]), json.loads(contract.read_text(encoding="utf-8"))
    for key in ("settings", "sources"):
        whole[key] |= example[key]
    whole["events"] = example["events"]
    tool = whole["tools"][0]
    tool["effects"] = example["effects"]
    del tool["cache"], tool["parameters"]["properties"]["force_refresh"]
    state = {"kind": "redis", "url": {"setting": "nats_url"}, "max_connections": 1, "connection_timeout_s": 1}
    whole["sources"]["state"] = state | {"timeout_s": 1}
    tool["idempotency"] = {"key_from": ["derived"], "window_s": 60, "store": "state"}
    contract.write_text(json.dumps(whole), encoding="utf-8")
    (server,) = compile_folder(contract.parents[1]).contracts
    assert [(event.name, event.subject, event.class_name) for event in server.events] == [
        ("loan_overdue", "loans.overdue", "LoanOverdue")
    ]
    assert server.tools[0].writes == ("stream",)
    assert lint_snapshot(require_valid(read_snapshot(contract.parents[1])), date(2027, 1, 1)).findings == ()


def test_the_event_on_a_channel_of_the_page_compiles(tmp_path: Path) -> None:
    match = re.search(r"```json channel_event\n(.*?)```", PAGE, re.DOTALL)
    assert match
    case = ROOT / "tests/codegen/cases/events/contracts/shop/stock.json"
    written = json.loads(case.read_text(encoding="utf-8"))
    event = json.loads(f"{{{match[1]}}}")["loan_overdue"]
    written["events"]["counted"] = event | {"source": "state", "payload": {"$ref": "#/$defs/SoldOut"}}
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/stock.json").write_text(json.dumps(written), encoding="utf-8")
    (server,) = compile_folder(tmp_path).contracts
    assert [(each.channel, each.duplicate_window_s) for each in server.events if each.channel] == [
        ("loans:overdue", 3600)
    ]


def test_the_s_expression_of_the_page_is_that_of_its_event(tmp_path: Path) -> None:
    event, text = (re.search(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL) for kind in ("json s_expression", "lisp"))
    assert event
    assert text
    case = ROOT / "tests/codegen/cases/event_s_expression/contracts/shop/stock.json"
    written = json.loads(case.read_text(encoding="utf-8"))
    written["events"] = {"binding": {**json.loads(event[1]), "source": "news"}}
    written["tools"][0]["effects"]["publishes"] = ["binding"]
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/stock.json").write_text(json.dumps(written), encoding="utf-8")
    (server,) = compile_folder(tmp_path).contracts
    (declared,) = server.events
    cover = {"kind": "half-leather", "gilt": True}
    payload = {"action": "BIND", "title": 'A "B" (C)', "cover": cover, "thickness_mm": 12.5, "shelf": [60]}
    assert SchemaValidator(dict(declared.payload)).violations(payload) == []
    assert encode(payload, declared.symbols).decode() == text[1].rstrip("\n")


def test_the_event_without_address_of_the_page_compiles(contract: Path) -> None:
    match, source = re.search(r"```json zmq_event\n(.*?)```", PAGE, re.DOTALL), re.search(r'"orders": .*', PAGE)
    assert match
    assert source
    whole = json.loads(contract.read_text(encoding="utf-8"))
    whole["settings"]["orders_endpoint"] = {
        "env": "ORDERS_ENDPOINT",
        "description": "Where orders go",
        "required": True,
    }
    whole["sources"] |= json.loads(f"{{{source[0]}}}")
    whole["events"] = json.loads(f"{{{match[1]}}}")
    contract.write_text(json.dumps(whole), encoding="utf-8")
    (server,) = compile_folder(contract.parents[1]).contracts
    assert [(event.source, event.subject, event.channel) for event in server.events] == [("orders", None, None)]


def test_the_page_explains_idempotency_key_by_key() -> None:
    section = PAGE.split("## Idempotency\n")[1].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(LANGUAGE["$defs"]["Idempotency"]["properties"])


def test_the_idempotency_of_the_page_compiles(tmp_path: Path) -> None:
    match = re.search(r"```json idempotency\n(.*?)```", PAGE, re.DOTALL)
    assert match
    case = ROOT / "tests/codegen/cases/idempotency_store/contracts/shop/stock.json"
    written = json.loads(case.read_text(encoding="utf-8"))
    written["tools"][0]["idempotency"] = json.loads(match[1])
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/stock.json").write_text(json.dumps(written), encoding="utf-8")
    (server,) = compile_folder(tmp_path).contracts
    assert server.tools[0].idempotency == Idempotency(key_from=("request", "derived"), window_s=3600, store="state")


def test_the_page_explains_rate_limits_key_by_key() -> None:
    section = PAGE.split("## Rate limits\n")[1].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(LANGUAGE["$defs"]["RateLimit"]["properties"])


def test_the_rate_limit_of_the_page_compiles(tmp_path: Path) -> None:
    match = re.search(r"```json rate_limit\n(.*?)```", PAGE, re.DOTALL)
    assert match
    case = ROOT / "tests/codegen/cases/rate_limit/contracts/shop/stock.json"
    written = json.loads(case.read_text(encoding="utf-8"))
    written["tools"][0]["rate_limit"] = json.loads(match[1])
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/stock.json").write_text(json.dumps(written), encoding="utf-8")
    (server,) = compile_folder(tmp_path).contracts
    assert server.tools[0].rate_limit == RateLimit(calls=100, window_s=60, store="state")


def test_the_page_explains_tasks_key_by_key() -> None:
    section = PAGE.split("## Tasks\n")[1].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(LANGUAGE["$defs"]["TaskPolicy"]["properties"])


def test_the_page_says_the_defaults_of_tasks() -> None:
    section = PAGE.split("## Tasks\n")[1].split("\n## ")[0]
    said = re.findall(r"^\| `(\w+)` \| .*?([\d,]+) if absent", section, re.MULTILINE)
    defaults = {key: part.get("default") for key, part in LANGUAGE["$defs"]["TaskPolicy"]["properties"].items()}
    assert {key: int(number.replace(",", "")) for key, number in said} == {
        key: default for key, default in defaults.items() if isinstance(default, int)
    }


def test_the_task_of_the_page_compiles_and_passes_lint(contract: Path) -> None:
    task, cache = (re.search(rf"```json {name}\n(.*?)```", PAGE, re.DOTALL) for name in ("task", "cache"))
    assert task
    assert cache
    example, whole = json.loads(cache[1]), json.loads(contract.read_text(encoding="utf-8"))
    whole["settings"] |= example["settings"]
    whole["sources"] |= example["sources"]
    whole["tools"][0]["task"] = json.loads(task[1])
    contract.write_text(json.dumps(whole), encoding="utf-8")
    (server,) = compile_folder(contract.parents[1]).contracts
    assert server.tools[0].task == TaskPolicy(mode="optional", store="state", timeout_s=1800, ttl_s=86400)
    assert lint_snapshot(require_valid(read_snapshot(contract.parents[1])), date(2027, 1, 1)).findings == ()


def test_the_page_explains_each_kind_of_view() -> None:
    section = PAGE.split("## Views\n")[1].split("\n## ")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.MULTILINE))
    parts = LANGUAGE["$defs"]
    assert list(rows) == parts["View"]["properties"]["kind"]["enum"]
    for kind, row in rows.items():
        keys_of_kind = set(parts[f"{kind.capitalize()}View"]["properties"]) - {"kind", "title"}
        assert keys_of_kind <= set(re.findall(r"`(\w+)`", row))


def test_the_view_of_the_page_compiles_and_passes_lint(contract: Path) -> None:
    match = re.search(r"```json view\n(.*?)```", PAGE, re.DOTALL)
    assert match
    whole = json.loads(contract.read_text(encoding="utf-8"))
    whole["tools"][0]["view"] = json.loads(match[1])
    contract.write_text(json.dumps(whole), encoding="utf-8")
    (server,) = compile_folder(contract.parents[1]).contracts
    assert server.tools[0].view_copy
    assert lint_snapshot(require_valid(read_snapshot(contract.parents[1])), date(2027, 1, 1)).findings == ()


def test_the_page_explains_resources_key_by_key() -> None:
    section = PAGE.split("## Resources\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(rows))) == set(LANGUAGE["$defs"]["Resource"]["properties"])


def test_the_resources_of_the_page_compile_and_pass_lint(contract: Path) -> None:
    match = re.search(r"```json resources\n(.*?)```", PAGE, re.DOTALL)
    assert match
    whole = json.loads(contract.read_text(encoding="utf-8")) | json.loads(match[1])
    contract.write_text(json.dumps(whole), encoding="utf-8")
    contracts = compile_folder(contract.parents[1])
    (server,) = contracts.contracts
    addresses = ["books://opening-hours", "books://{language}/{number}", "contract://books-mcp/list_loans"]
    assert [each.address for each in server.resources] == addresses
    handlers = {each.function for each in server.read_resources}
    handlers |= {each.function for owner in server.resources for each in owner.completions if each.values is None}
    section = PAGE.split("## Resources\n")[1].split("\n## ")[0]
    assert set(re.findall(r"async def (\w+)", section)) == handlers | {"move_book"}
    assert lint_snapshot(require_valid(read_snapshot(contract.parents[1])), date(2027, 1, 1)).findings == ()


def test_the_page_explains_prompts_key_by_key() -> None:
    section = PAGE.split("## Prompts\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(rows))) == set(LANGUAGE["$defs"]["Prompt"]["properties"])


def test_the_prompts_of_the_page_compile_and_pass_lint(contract: Path) -> None:
    match = re.search(r"```json prompts\n(.*?)```", PAGE, re.DOTALL)
    assert match
    whole = json.loads(contract.read_text(encoding="utf-8")) | json.loads(match[1])
    contract.write_text(json.dumps(whole), encoding="utf-8")
    (server,) = compile_folder(contract.parents[1]).contracts
    handlers = {each.function for each in server.prompts if not each.messages}
    handlers |= {each.function for owner in server.prompts for each in owner.completions if each.values is None}
    section = PAGE.split("## Prompts\n")[1].split("\n## ")[0]
    assert set(re.findall(r"async def (\w+)", section)) == handlers
    assert lint_snapshot(require_valid(read_snapshot(contract.parents[1])), date(2027, 1, 1)).findings == ()


def test_every_key_of_the_language_is_described_for_editors() -> None:
    bare = [
        f"{name}.{key}"
        for name, part in {"": LANGUAGE, **LANGUAGE["$defs"]}.items()
        for key, schema in part.get("properties", {}).items()
        if "description" not in schema and "$ref" not in schema and "const" not in schema
    ]
    assert bare == ["SharedFile.$schema", "DialectsFile.$schema"]


def write_agent(contract: Path) -> None:
    """Write the page's agent beside its contract of a server."""
    match = re.search(r"```json agent=(\S+)\n(.*?)```", PAGE, re.DOTALL)
    assert match
    (contract.parents[1] / f"{match[1]}.json").write_text(match[2], encoding="utf-8")


def test_the_agent_of_the_page_uses_its_server(contract: Path) -> None:
    write_agent(contract)
    (agent,) = compile_folder(contract.parents[1]).agents
    assert [(use.server.name, [each.tool.name for each in use.tools]) for use in agent.uses] == [
        ("books-mcp", ["list_loans"])
    ]


def test_the_agent_of_the_page_passes_lint(contract: Path) -> None:
    write_agent(contract)
    assert lint_snapshot(require_valid(read_snapshot(contract.parents[1])), date(2027, 1, 1)).findings == ()


def test_the_agent_of_the_page_has_the_records_and_the_metric_that_the_page_names(contract: Path) -> None:
    write_agent(contract)
    compiled = compile_folder(contract.parents[1])
    layout = Layout(package="acme", handlers="handlers", sandbox=None, contracts="contracts", command="generate")
    tree = render_tree(compiled, layout)
    signature = "async def answer(self, request: models.ReminderRequest, call: ReminderCall, /) -> models.Reminder:"
    assert signature in tree["library/reminder/agent.py"]
    assert {f"library/reminder/opencode/{name}" for name in OPENCODE_FILES} <= tree.keys()
    assert Identifier(compiled.agents[0].name) == "loan_reminder"


def test_the_page_explains_queues_key_by_key_and_its_example_compiles(contract: Path) -> None:
    table = PAGE.split("```json queue\n")[1].split("A request may run")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(LANGUAGE["$defs"]["Queue"]["properties"])
    write_agent(contract)
    agent = next(contract.parent.glob("reminder.json"))
    whole = json.loads(agent.read_text(encoding="utf-8"))
    whole["batch"]["queue"] = json.loads(table.partition("```")[0])
    nats = {"kind": "nats", "url": {"setting": "nats_url"}, "connection_timeout_s": 1, "timeout_s": 1}
    whole["sources"]["queue"] = nats | {"max_outstanding": 100, "max_pending_bytes": 1048576}
    whole["settings"]["nats_url"] = {"env": "NATS_URL", "description": "NATS", "required": True, "secret": True}
    agent.write_text(json.dumps(whole), encoding="utf-8")
    (compiled,) = compile_folder(contract.parents[1]).agents
    assert compiled.batch
    assert compiled.batch.queue == Queue(source="queue", stream="REMINDER_DAYS", max_age_s=120)
    (finding,) = lint_snapshot(require_valid(read_snapshot(contract.parents[1])), date(2027, 1, 1)).findings
    assert finding.issue.rule == "EVENT_REPEATED"


OPENCODE_FILES = (
    "opencode.json",
    ".opencode/agent/loan-reminder.md",
    ".opencode/skills/list-due-books/SKILL.md",
)


@pytest.mark.parametrize(
    "caret, inside, outside",
    [
        ("^1.2", ("1.2.0", "1.9.3"), ("1.1.9", "2.0.0", "0.9.0")),
        ("^0.3", ("0.3.0", "0.3.7"), ("0.2.9", "0.4.0", "1.0.0")),
        ("^1", ("1.0.0", "1.9.9"), ("0.9.9", "2.0.0")),
        ("^0.0.3", ("0.0.3",), ("0.0.4", "0.0.2")),
        ("^0.0", ("0.0.0", "0.0.9"), ("0.1.0",)),
        ("^0", ("0.0.0", "0.9.0"), ("1.0.0",)),
        ("^1.2.3", ("1.2.3", "1.3.0"), ("1.2.2", "2.0.0")),
    ],
)
def test_a_caret_range_is_that_of_npm(caret: str, inside: tuple[str, ...], outside: tuple[str, ...]) -> None:
    assert all(is_in_range(version, caret) for version in inside)
    assert not any(is_in_range(version, caret) for version in outside)
