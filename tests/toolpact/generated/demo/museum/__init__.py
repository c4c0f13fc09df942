"""museum-mcp: Museum.

Generated from tests/toolpact/contracts/demo/museum.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""
