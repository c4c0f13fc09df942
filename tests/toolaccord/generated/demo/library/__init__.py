"""library-mcp: Library.

Generated from tests/toolaccord/contracts/demo/library.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""
