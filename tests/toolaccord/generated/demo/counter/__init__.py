"""counter-mcp: Counter.

Generated from tests/toolaccord/contracts/demo/counter.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""
