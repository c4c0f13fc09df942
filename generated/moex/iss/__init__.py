"""moex-iss-mcp: Moscow Exchange market data.

Generated from contracts/moex/iss.json; do not edit. Regenerate with `nox -s generate`.
"""
