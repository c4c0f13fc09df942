"""relay-mcp: Relay.

Generated from tests/toolpact/contracts/demo/relay.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""
