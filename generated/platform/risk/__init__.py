"""risk-mcp: Risk.

Generated from contracts/platform/risk.json; do not edit. Regenerate with `nox -s generate`.
"""
