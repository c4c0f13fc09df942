"""`new version`: the old promise stays callable, and the drafted steps compile."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.codegen.conftest import Command
from toolaccord_codegen.compiler import compile_folder

ROOT = Path(__file__).parents[3]
Contract = dict[str, Any]


def rename(properties: Contract, old: str, new: str) -> None:
    """Give a property another name, in its place."""
    for name in list(properties):
        properties[new if name == old else name] = properties.pop(name)


def rename_and_limit(contract: Contract) -> None:
    """Rename an argument and a member of a definition, and lower the maximum of an argument."""
    tool = contract["tools"][0]
    rename(tool["parameters"]["properties"], "symbol", "pair")
    tool["parameters"]["required"] = ["pair"]
    tool["errors"] = json.loads(json.dumps(tool["errors"]).replace('"/symbol"', '"/pair"'))
    tool["parameters"]["properties"]["limit"]["maximum"] = 50
    strategy = contract["$defs"]["Strategy"]
    rename(strategy["properties"], "score", "points")
    strategy["required"] = ["points" if name == "score" else name for name in strategy["required"]]
    del tool["examples"], tool["view"]


def limit_a_definition(contract: Contract) -> None:
    """Lower the maximum of a definition, and withdraw a member of the result."""
    tool = contract["tools"][0]
    contract["$defs"]["Quantity"]["maximum"] = 1000
    del tool["returns"]["properties"]["reason"]
    tool["returns"]["required"].remove("reason")
    del tool["examples"], tool["view"]


def require_another(contract: Contract) -> None:
    """Require a new argument, withdraw one and a nested result, and add a value to an enum."""
    tool = contract["tools"][0]
    tool["parameters"]["properties"]["currency"] = {"type": "string", "enum": ["RUB", "USD"]}
    tool["parameters"]["required"].append("currency")
    del tool["parameters"]["properties"]["board"]
    tool["returns"]["properties"]["metadata"]["properties"]["source"]["enum"].append("archive")
    data = tool["returns"]["properties"]["data"]
    data["properties"].pop("volume")
    data["required"] = [name for name in data.get("required", []) if name != "volume"]
    del tool["examples"], tool["view"]


EDITS: dict[str, tuple[str, Callable[[Contract], None], list[str], list[str]]] = {
    "renamed and limited": (
        "tradestream/strategy",
        rename_and_limit,
        ['{"move": "/symbol", "to": "/pair"}', '{"move": "/limit", "to": "/limit", "lookup": "converted_limit"}'],
        ['{"move": "/items/*/score", "to": "/items/*/points"}'],
    ),
    "a definition and older versions": (
        "platform/risk",
        limit_a_definition,
        ['{"move": "/quantity", "to": "/quantity", "lookup": "converted_quantity"}'],
        ['{"drop": "/reason", "default": "The order violates no limit."}'],
    ),
    "required and withdrawn": (
        "moex/iss",
        require_another,
        ['{"drop": "/board"}', '{"add": "/currency", "value": "RUB"}'],
        ['{"move": "/metadata/source", "to": "/metadata/source", "lookup": "converted_source"}', '{"drop": "/data/volume"'],
    ),
}  # fmt: skip


@pytest.fixture
def edited(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make one of this repository's contracts current, with an edit, and keep it as it was."""
    server, edit, *_ = EDITS[request.param]
    contract = tmp_path / "contracts" / f"{server}.json"
    contract.parent.mkdir(parents=True)
    for name in ("shared.json", "dialects.json", f"{server}.json"):
        shutil.copy(ROOT / "contracts" / name, tmp_path / "contracts" / name)
    shutil.copytree(tmp_path / "contracts", tmp_path / "before")
    value = json.loads(contract.read_bytes())
    edit(value)
    contract.write_text(json.dumps(value, indent=2, ensure_ascii=False))
    monkeypatch.chdir(tmp_path)
    return contract


@pytest.mark.parametrize("edited, case", [(name, name) for name in EDITS], indirect=["edited"], ids=list(EDITS))
def test_the_promise_before_an_edit_is_an_older_version_whose_steps_compile(
    edited: Path, case: str, command: Command
) -> None:
    server, _, upwards, downwards = EDITS[case]
    before = json.loads(Path("before", f"{server}.json").read_bytes())["tools"][0]
    code, output = command("new", "version", server, before["name"], "--against", "before")
    assert code == 0, output
    compile_folder(Path("contracts"))
    tool = json.loads(edited.read_bytes())["tools"][0]
    older = tool["versions"][0]
    assert (older["version"], len(tool["versions"])) == (before["version"], len(before.get("versions", [])) + 1)
    assert int(tool["version"].split(".")[0]) == int(before["version"].split(".")[0]) + 1
    text = edited.read_text(encoding="utf-8")
    missing = [step for step in upwards + downwards if step not in text]
    assert missing == [], json.dumps(older["to_next"])
    guessed = set(re.findall(r"Choose the value of (\S+), which ", output))
    steps = older["to_next"]
    assert guessed == {step["add"] for step in steps["parameters"] if "add" in step} | {
        step["drop"] for step in steps["returns"] if "default" in step
    }
    named = set(re.findall(r"`async def (\w+)\(value, call\)`", output))
    assert named == {
        f"{step['lookup']}{suffix}"
        for key, suffix in (("parameters", ""), ("returns", "_back"))
        for step in older["to_next"][key]
        if "lookup" in step
    }


@pytest.mark.parametrize("edited", ["a definition and older versions"], indirect=True)
def test_a_definition_that_changed_since_stands_in_the_older_version_as_it_was(edited: Path, command: Command) -> None:
    name = "risk.position_limits_check"
    assert command("new", "version", "platform/risk", name, "--against", "before")[0] == 0
    kept = json.loads(edited.read_bytes())["tools"][0]["versions"][0]["parameters"]["properties"]
    assert kept["quantity"]["maximum"] == 1_000_000_000_000
    assert kept["symbol"] == {"$ref": "#/$defs/Symbol"}


STOCK = Path("contracts/shop/stock.json")


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_without_an_earlier_state_the_present_promise_is_kept(mark: str, newline: str, command: Command) -> None:
    before = (mark + STOCK.read_text(encoding="utf-8")).replace("\n", newline).encode()
    STOCK.write_bytes(before)
    code, output = command("new", "version", "shop/stock", "count", "--package", "acme")
    assert (code, output.startswith(f"wrote   {STOCK}: count 2.0.0 answers callers of 1.0.0\n")) == (0, True)
    after = STOCK.read_bytes()
    tool, old = (json.loads(text.decode("utf-8-sig"))["tools"][0] for text in (after, before))
    assert tool["versions"] == [
        {key: old[key] for key in ("version", "parameters", "returns")} | {"to_next": {"parameters": [], "returns": []}}
    ]
    assert {**tool, "version": "1.0.0"} == {**old, "versions": tool["versions"]}
    assert after.replace(b"\r\n", b"").count(b"\n") == (0 if newline == "\r\n" else after.count(b"\n"))
    assert command("generate", "--package", "acme")[0] == 0
    assert command("new", "version", "shop/stock", "count", "--to", "2.1.0")[0] == 0
    assert [each["version"] for each in json.loads(STOCK.read_text("utf-8-sig"))["tools"][0]["versions"]] == ["2.0.0", "1.0.0"]  # fmt: skip
    assert command("generate", "--package", "acme")[0] == 0


@pytest.mark.usefixtures("shop")
def test_a_difference_that_no_step_can_convert_is_reported_with_its_place(command: Command) -> None:
    shutil.copytree("contracts", "before")
    closed = '"additionalProperties": false},\n      "returns"'
    old = Path("before/shop/stock.json")
    old.write_text(STOCK.read_text(encoding="utf-8").replace(closed, closed.replace("false", "true")))
    code, output = command("new", "version", "shop/stock", "count", "--against", "before")
    assert (code, output.count("REQUEST_LOST")) == (1, 1), output
    assert re.search(
        rf"^{STOCK}:\d+:\d+: REQUEST_LOST: 1\.0\.0 accepts .* give 2\.0\.0 the same additional", output, re.MULTILINE
    )
    assert json.loads(STOCK.read_bytes())["tools"][0]["versions"][0]["version"] == "1.0.0"


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    "arguments, fault",
    [
        (("shop/stok", "count"), 'no server shop/stok; did you mean "shop/stock"?'),
        (("shop/stock", "cont"), 'no tool "cont"; did you mean "count"?'),
        (("shop/stock", "count", "--to", "1.0.0"), "1.0.0 is not newer than 1.0.0"),
        (("shop/stock", "count", "--to", "two"), "two is no version, e.g. 2.0.0"),
        (("shop/stock", "count", "--against", "nowhere"), "git cannot read contracts at this ref"),
    ],
)
def test_an_impossible_version_is_a_sentence_and_nothing_is_written(
    arguments: tuple[str, ...], fault: str, command: Command
) -> None:
    before = STOCK.read_bytes()
    code, output = command("new", "version", *arguments)
    assert (code, fault in output) == (2, True), output
    assert STOCK.read_bytes() == before
