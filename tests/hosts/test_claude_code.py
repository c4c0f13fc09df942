"""Prove that Claude Code calls tools, reads resources and gets prompts."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from tests.hosts.project import Project
from tests.hosts.scripted_model import ScriptedClaude, serving
from tests.services.fetched import fetched

pytestmark = pytest.mark.hosts

LARGE_TRADE = {"symbol": "ETH/USD", "side": "BUY", "size": 20000, "price": 1}
"""A trade above the limit, about which the server asks."""
URI = "contract://strategy-mcp/get_top_strategies"


def converse(
    project: Project,
    model: ScriptedClaude,
    prompt: str,
    *,
    server: str = "strategy",
    hooks: Mapping[str, Any] = MappingProxyType({}),
) -> str:
    """Let Claude Code answer *prompt* by the model; return its output."""
    project.copy(f"tradestream/{server}/hosts/claude-code.mcp.json", "project/.mcp.json")
    permissions = {"allow": [model.tool] if model.tool else []}
    settings = {"enableAllProjectMcpServers": True, "permissions": permissions, "hooks": dict(hooks)}
    project.write("home/.claude/settings.json", json.dumps(settings))
    with serving(model):
        return project.run(
            *(fetched("claude"), "-p", prompt),
            ANTHROPIC_API_KEY="none",
            ANTHROPIC_BASE_URL=model.url.removesuffix("/v1"),
            ENABLE_TOOL_SEARCH="false",
            MCP_CONNECTION_NONBLOCKING="false",
        )


def test_the_model_gets_the_tools_and_the_data_of_its_call(project: Project) -> None:
    model = ScriptedClaude("mcp__strategy-mcp__get_top_strategies", {"symbol": "ETH/USD", "limit": 3})
    converse(project, model, "Which strategies are best?")
    assert {"symbol", "limit", "metric"} <= set(model.tools[model.tool]["properties"])
    (result,) = model.results
    assert len(json.loads(result)["data"]["items"]) == 3


def test_the_model_reads_a_resource(project: Project) -> None:
    model = ScriptedClaude("ReadMcpResourceTool", {"server": "strategy-mcp", "uri": URI})
    converse(project, model, "What does get_top_strategies return?")
    (result,) = model.results
    (content,) = json.loads(result)["contents"]
    assert content["uri"] == URI
    assert json.loads(content["text"])["name"] == "get_top_strategies"


def test_a_prompt_is_a_command_with_typed_arguments(project: Project) -> None:
    model = ScriptedClaude("", {})
    converse(project, model, "/mcp__strategy-mcp__analyze-symbol ETH/USD 3")
    assert any("Call get_top_strategies for ETH/USD with limit 3." in prompt for prompt in model.prompts)


def test_a_wrong_argument_of_a_prompt_is_reported_before_the_model_is_asked(project: Project) -> None:
    model = ScriptedClaude("", {})
    assert "/symbol must match the pattern" in converse(project, model, "/mcp__strategy-mcp__analyze-symbol ether")
    assert model.prompts == []


@pytest.mark.parametrize("is_allowed", [True, False])
def test_a_tool_asks_the_user_by_a_form(project: Project, *, is_allowed: bool) -> None:
    """A hook fills in the form, because nobody can type."""
    filled_in = {"hookEventName": "Elicitation", "action": "accept", "content": {"allow": is_allowed}}
    project.write("answer.json", json.dumps({"hookSpecificOutput": filled_in}))
    hook = {"type": "command", "command": f"cat {project.place / 'answer.json'}"}
    model = ScriptedClaude("mcp__portfolio-mcp__validate_trade", LARGE_TRADE)
    converse(project, model, "May I buy so much?", server="portfolio", hooks={"Elicitation": [{"hooks": [hook]}]})
    (result,) = model.results
    assert json.loads(result)["data"]["valid"] == is_allowed


def test_without_anybody_to_ask_a_trade_above_the_limit_stays_invalid(project: Project) -> None:
    model = ScriptedClaude("mcp__portfolio-mcp__validate_trade", LARGE_TRADE)
    converse(project, model, "May I buy so much?", server="portfolio")
    (result,) = model.results
    assert json.loads(result)["data"]["valid"] is False
