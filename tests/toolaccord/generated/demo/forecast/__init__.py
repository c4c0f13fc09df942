"""forecast-mcp: Forecast.

Generated from tests/toolaccord/contracts/demo/forecast.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""
