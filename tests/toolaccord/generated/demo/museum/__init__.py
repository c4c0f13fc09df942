"""museum-mcp: Museum.

Generated from tests/toolaccord/contracts/demo/museum.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""
