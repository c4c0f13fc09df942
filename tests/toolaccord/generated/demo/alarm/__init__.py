"""alarm-mcp: Alarm.

Generated from tests/toolaccord/contracts/demo/alarm.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""
