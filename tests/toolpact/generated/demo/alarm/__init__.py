"""alarm-mcp: Alarm.

Generated from tests/toolpact/contracts/demo/alarm.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""
