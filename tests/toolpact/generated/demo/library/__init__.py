"""library-mcp: Library.

Generated from tests/toolpact/contracts/demo/library.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""
