"""counter-mcp: Counter.

Generated from tests/toolpact/contracts/demo/counter.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""
