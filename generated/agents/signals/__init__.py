"""signal-mcp: Raw signals.

Generated from contracts/agents/signals.json; do not edit. Regenerate with `nox -s generate`.
"""
