"""gate-mcp: Gate.

Generated from tests/toolpact/contracts/demo/gate.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""
