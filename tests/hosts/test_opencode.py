"""Prove that OpenCode takes the generated file, shows tools to a model and calls them."""

import json
from collections.abc import Sequence

import pytest

from tests.hosts.project import Project
from tests.hosts.reading import entries, read
from tests.hosts.scripted_model import ScriptedModel, serving
from tests.services.fetched import fetched

pytestmark = pytest.mark.hosts


QUESTION = ("Which strategies are best?",)


def answered(
    project: Project, model: ScriptedModel, server: str = "tradestream/strategy", asked: Sequence[str] = QUESTION
) -> str:
    """Let the model call its tool of *server* through OpenCode; return the result that it got.

    *asked* are the last arguments of OpenCode's command.
    """
    project.copy(f"{server}/hosts/opencode.json", "project/opencode.json")
    with serving(model):
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": model.url, "apiKey": "none"},
            "models": {"scripted": {"tool_call": True, "limit": {"context": 100_000, "output": 10_000}}},
        }
        offline = {"small_model": "local/scripted", "provider": {"local": provider}, "share": "disabled"}
        project.run(
            fetched("opencode"), "run", "-m", "local/scripted", *asked, OPENCODE_CONFIG_CONTENT=json.dumps(offline)
        )
    (result,) = model.results
    return result


def test_the_model_gets_the_tools_and_the_data_of_its_call(project: Project) -> None:
    model = ScriptedModel("strategy-mcp_get_top_strategies", {"symbol": "ETH/USD", "limit": 3})
    answer = json.loads(answered(project, model))
    assert {name for name in model.tools if name.startswith("strategy-mcp_")} == {
        "strategy-mcp_get_top_strategies",
        "strategy-mcp_get_strategy_signal",
        "strategy-mcp_get_strategy_consensus",
    }
    assert {"symbol", "limit", "metric"} <= set(model.tools[model.tool]["properties"])
    assert len(answer["data"]["items"]) == 3
    assert all(strategy["sharpe"] is not None and strategy["score"] for strategy in answer["data"]["items"])
    assert answer["_metadata"]["source"] == "postgresql"


@pytest.mark.parametrize(
    "arguments, code",
    [({"symbol": "DOGE/XXX"}, "SYMBOL_NOT_FOUND"), ({"symbol": "not a symbol"}, "INVALID_SYMBOL")],
)
def test_the_model_gets_the_code_of_an_error(project: Project, arguments: dict[str, str], code: str) -> None:
    model = ScriptedModel("strategy-mcp_get_top_strategies", arguments)
    assert json.loads(answered(project, model))["error"]["code"] == code


def test_the_model_reads_a_resource(project: Project) -> None:
    uri = "contract://strategy-mcp/get_top_strategies"
    model = ScriptedModel("read_mcp_resource", {"server": "strategy-mcp", "uri": uri})
    heading, media_type, contents = answered(project, model).split("\n", 2)
    assert (heading, media_type) == (f"Resource: {uri}", "MIME: application/json")
    assert json.loads(contents)["name"] == "get_top_strategies"


def test_a_trade_above_the_limit_stays_invalid_in_a_host_that_cannot_ask(project: Project) -> None:
    trade = {"symbol": "ETH/USD", "side": "BUY", "size": 20000, "price": 1}
    model = ScriptedModel("portfolio-mcp_validate_trade", trade)
    assert json.loads(answered(project, model, "tradestream/portfolio"))["data"]["valid"] is False


def test_a_prompt_is_a_command(project: Project) -> None:
    model = ScriptedModel("strategy-mcp_get_top_strategies", {"symbol": "ETH/USD"})
    answered(project, model, asked=("--command", "strategy-mcp:analyze-symbol", "ETH/USD"))
    assert any("Call get_top_strategies for ETH/USD with limit 5." in prompt for prompt in model.prompts)


def test_the_model_submits_a_backtest_to_the_gateway_and_is_not_offered_orders(project: Project) -> None:
    strategy = {"name": "demo", "sma_short": 5, "sma_long": 20, "sl": 0.5, "tp": 1.0, "volume": 0.02}
    arguments = {"strategy": strategy, "symbol": "USDJPY", "data_id": "USDJPY_H1", "request_id": "from-a-model"}
    model = ScriptedModel("swimmy-mcp_backtest_submit", arguments)
    answer = json.loads(answered(project, model, "gateway/swimmy"))
    assert answer == {"status": 202, "request_id": "from-a-model"}
    assert {name for name in model.tools if name.startswith("swimmy-mcp_")} == {
        f"swimmy-mcp_{name}"
        for name in ("health_ping", "system_status", "system_metrics", "backtest_submit", "backtest_status")
    }


@pytest.mark.parametrize("system", ["tradestream", "gateway"])
def test_every_server_of_a_system_connects(project: Project, system: str) -> None:
    project.copy(f"{system}/hosts/opencode.json", "project/opencode.json")
    printed = project.run(fetched("opencode"), "mcp", "list")
    for name in entries(read(project.folder / "opencode.json")):
        assert f"✓ {name} " in printed
