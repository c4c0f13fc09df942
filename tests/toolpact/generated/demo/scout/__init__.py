"""scout-agent: Scout.

Generated from tests/toolpact/contracts/demo/scout.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""
