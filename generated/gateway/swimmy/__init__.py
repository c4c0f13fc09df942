"""swimmy-mcp: Swimmy gateway.

Generated from contracts/gateway/swimmy.json; do not edit. Regenerate with `nox -s generate`.
"""
