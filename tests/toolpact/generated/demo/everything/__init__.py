"""everything: Everything.

Generated from tests/toolpact/contracts/demo/everything.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""
