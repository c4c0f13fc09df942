"""moex-analyst: MOEX analyst.

Generated from contracts/agents/moex_analyst.json; do not edit. Regenerate with `nox -s generate`.
"""
