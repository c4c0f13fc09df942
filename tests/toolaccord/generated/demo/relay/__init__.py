"""relay-mcp: Relay.

Generated from tests/toolaccord/contracts/demo/relay.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""
