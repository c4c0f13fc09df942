"""execution-mcp: Execution.

Generated from contracts/platform/execution.json; do not edit. Regenerate with `nox -s generate`.
"""
