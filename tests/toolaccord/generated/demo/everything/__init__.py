"""everything: Everything.

Generated from tests/toolaccord/contracts/demo/everything.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""
