"""The calls of strategy-db-mcp."""

import secrets
from typing import Any

from sandbox.demo.calls import UNKNOWN_TOOL, Arguments, Recorder

VALID_SPEC: Arguments = {
    "indicators": [
        {"id": "ema", "type": "EMA", "input": "close", "params": {"period": "${emaPeriod}"}},
        {"id": "rsi", "type": "RSI", "input": "close", "params": {"period": 14}},
    ],
    "entry_conditions": [{"type": "CROSSED_UP_CONSTANT", "indicator": "rsi", "params": {"value": 30}}],
    "exit_conditions": [{"type": "IS_FALLING", "indicator": "ema"}],
    "parameters": [{"name": "emaPeriod", "type": "INTEGER", "min": 10, "max": 100, "defaultValue": 50}],
}
SHORT: Arguments = {
    "indicators": [{"name": "RSI", "period": 14}],
    "entry_conditions": [{"rsi_below": 30}],
    "exit_conditions": [{"rsi_above": 70}],
    "parameters": [{"name": "rsi_period", "min": 7, "max": 21}],
}


async def call_spec_tools(recorder: Recorder) -> None:
    """Call every tool of strategy-db-mcp: the best specs, their implementations, and a new one."""
    page: Arguments = {"limit": 3}
    top = await recorder.call("a miss: PostgreSQL answers", "result fresh", "get_top_specs", page)
    await recorder.call("a hit: the cache answers", "result cached", "get_top_specs", page)
    await recorder.call(
        "page two, of one source", "result fresh", "get_top_specs", page | {"offset": 3, "source": "CANONICAL"}
    )
    await recorder.call("an invalid source", "INVALID_SOURCE", "get_top_specs", {"source": "MIGRATED"})
    for spec in top.body.get("data", {}).get("items", [])[:1]:
        await _implementations(recorder, spec["spec_id"])
    await _submitting(recorder)
    await recorder.call("an unknown tool", UNKNOWN_TOOL, "get_rich_quickly", {})


async def _implementations(recorder: Recorder, spec_id: str) -> None:
    arguments: Arguments = {"spec_id": spec_id, "limit": 3}
    await recorder.call("its implementations", "result fresh", "get_implementations", arguments)
    await recorder.call(
        "deployed implementations", "result fresh", "get_implementations", arguments | {"status": "DEPLOYED"}
    )
    await recorder.call("an invalid status", "INVALID_STATUS", "get_implementations", arguments | {"status": "LIVE"})
    await recorder.call("an unknown spec", "SPEC_NOT_FOUND", "get_implementations", {"spec_id": "no-such-spec"})


async def _submitting(recorder: Recorder) -> None:
    new = {"name": f"DEMO_{secrets.token_hex(4).upper()}"} | VALID_SPEC
    key = f"demo-{secrets.token_hex(8)}"
    stored = await recorder.call("a new spec, under a key", "result fresh", "submit_new_spec", new, key=key)
    again = "sent again: the same spec"
    await recorder.call(again, "result fresh", "submit_new_spec", new, key=key, repeats=stored)
    await recorder.call("the name is taken", "DUPLICATE_NAME", "submit_new_spec", new)
    await recorder.call(
        "the names of the engine are taken too", "DUPLICATE_NAME", "submit_new_spec", new | {"name": "MACD_CROSSOVER"}
    )
    await recorder.call("an invalid name", "INVALID_NAME", "submit_new_spec", new | {"name": "a demo"})
    await recorder.call(
        "a spec in the short form", "result fresh", "submit_new_spec", SHORT | {"name": f"{new['name']}_short".lower()}
    )
    await _faulty(recorder, new | {"name": f"{new['name']}_TOO"})


async def _faulty(recorder: Recorder, new: Arguments) -> None:
    async def submit(purpose: str, expected: str, **changed: Any) -> None:
        await recorder.call(purpose, expected, "submit_new_spec", new | changed)

    nowhere = [{"type": "IS_RISING", "indicator": "moon"}]
    backwards = [{"name": "emaPeriod", "type": "INTEGER", "min": 100, "max": 10, "defaultValue": 50}]
    await submit("an unknown indicator", "INVALID_INDICATORS", indicators=[{"id": "moon", "type": "MOON_PHASE"}])
    await submit("a condition on an unknown indicator", "INVALID_CONDITIONS", entry_conditions=nowhere)
    await submit("bounds that exclude everything", "SCHEMA_VALIDATION_ERROR", parameters=backwards)
    await submit("several findings at once", "INVALID_CONDITIONS", exit_conditions=nowhere, parameters=backwards)
