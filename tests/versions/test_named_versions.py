"""Call later servers by clients that were generated before the first split of their tool."""

import importlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import pytest

from tests.toolaccord.listener import listening
from tests.toolaccord.twins import both, line
from tests.versions.risk_server import PACKAGE, RISK, GeneratedServer
from tests.versions.test_calls import ENVELOPE, HANDSHAKE
from toolaccord.testing import Era, connection, pipeline
from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.emit.output_tree import write_tree
from toolaccord_codegen.emit.render import render_tree
from toolaccord_codegen.ir.layout import Layout

NAME = "risk.position_limits_check"
BEFORE = "before_the_split"
LARGE = {"strategy": "momentum_v2", "instrument": "EURUSD", "qty": 2_000_000, "side": "buy"}
NEWEST = {"portfolio_id": "port_123", "symbol": "EURUSD", "quantity": 10, "direction": "long"}
REFUSED = {"allowed": False, "reason": "The limit is 1000000 lots", "max_qty": 1_000_000}
MODULE = f"{PACKAGE}.platform.risk"


@dataclass(frozen=True)
class Before:
    """The client of version 1.0.0 alone."""

    client: ModuleType
    models: ModuleType

    async def check(self, client: Any) -> Any:
        """Return the result of a call as JSON."""
        request = self.models.RiskPositionLimitsCheckRequest(**LARGE)
        async with client:
            result = await client.risk_position_limits_check(request)
        return result.model_dump(mode="json")


def only_first_version() -> dict[str, Any]:
    """Return the contract as it was before 1.1.0 and 2.0.0."""
    contract = json.loads((RISK / "contracts" / "platform" / "risk.json").read_text(encoding="utf-8"))
    tool = contract["tools"][0]
    first = tool.pop("versions")[-1]
    tool |= {key: first[key] for key in ("version", "parameters", "returns")}
    tool["released_on"] = "2026-01-01"
    tool["errors"][0]["when"]["at"] = ["/instrument"]
    tool["examples"] = [{key: value for key, value in tool["examples"][-1].items() if key != "version"}]
    contract["tools"] = [tool]
    contract["server"]["version"] = "1.0.0"
    del contract["$defs"]["Horizon"]
    return dict(contract)


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Before]:
    """Generate the client before the split."""
    folder = tmp_path_factory.mktemp("before")
    contract = folder / "contracts" / "platform" / "risk.json"
    contract.parent.mkdir(parents=True)
    contract.write_text(json.dumps(only_first_version()), encoding="utf-8")
    layout = Layout(package=BEFORE, handlers="none", sandbox=None, contracts="contracts", command="generate")
    write_tree(folder / BEFORE, render_tree(compile_folder(folder / "contracts"), layout))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        names = (f"{BEFORE}.platform.risk.{each}" for each in ("client", "models"))
        yield Before(*map(importlib.import_module, names))


@pytest.mark.parametrize("era", ["handshake", "stateless"])
async def test_a_client_of_the_only_version_gets_its_shape_after_the_split(
    risk: GeneratedServer, before: Before, era: Era
) -> None:
    assert await before.check(before.client.RiskClient(connection(risk.server, era=era))) == REFUSED
    environ = {"PYTHONPATH": str(risk.folder)}
    process = before.client.RiskClient.stdio("-m", MODULE, command=sys.executable, env=environ, era=era)
    assert await before.check(process) == REFUSED


async def test_a_client_of_the_only_version_gets_its_shape_over_http_after_the_split(
    risk: GeneratedServer, before: Before
) -> None:
    async with listening(module=MODULE, environ={"PYTHONPATH": str(risk.folder)}) as listener:
        url = f"http://127.0.0.1:{listener.port}/mcp"
        answers = [
            await before.check(before.client.RiskClient.http(url, era=era)) for era in ("handshake", "stateless")
        ]
    assert answers == [REFUSED, REFUSED]


def test_a_client_of_a_tool_with_one_version_names_it(before: Before) -> None:
    assert before.client.RISK_POSITION_LIMITS_CHECK.version == "1.0.0"


@pytest.mark.parametrize("era", ["handshake", "stateless"])
async def test_the_fast_path_and_the_sdk_answer_and_reject_named_versions_alike(
    risk: GeneratedServer, era: Era
) -> None:
    """The only version is 1.3.2, so it answers all of 1 up to 1.3, and every patch of 1.3."""
    meta = ENVELOPE if era == "stateless" else {}
    named = {"1.3.2": True, "1.0.0": True, "1.3.9": True, "1.4.0": False, "2.0.0": False, "0.9.0": False, "1.3": False}
    calls = [
        {
            "jsonrpc": "2.0",
            "id": number,
            "method": "tools/call",
            "params": {"name": NAME, "arguments": NEWEST, "_meta": {**meta, "version": version}},
        }
        for number, version in enumerate(named)
    ]
    first = [{"jsonrpc": "2.0", "id": -1, "method": "initialize", "params": HANDSHAKE}] if not meta else []
    tool = replace(risk.tool(NAME), version="1.3.2", versions=())
    server = replace(risk.server, tools=(tool,))
    fast, sdk = await both(lambda: pipeline(server), [line(each) for each in (*first, *calls)])
    assert fast == sdk
    results = {answer["id"]: answer["result"] for answer in fast if answer["id"] >= 0}
    assert [not results[number]["isError"] for number in range(len(named))] == list(named.values())
