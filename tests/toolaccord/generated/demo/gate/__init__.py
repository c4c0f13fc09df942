"""gate-mcp: Gate.

Generated from tests/toolaccord/contracts/demo/gate.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""
