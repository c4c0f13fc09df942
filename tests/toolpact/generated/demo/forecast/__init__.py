"""forecast-mcp: Forecast.

Generated from tests/toolpact/contracts/demo/forecast.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""
