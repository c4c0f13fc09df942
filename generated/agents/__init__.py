"""Servers and agents of the system agents.

Generated from contracts/agents/signals.json, agents/moex_analyst.json, agents/signal_generator.json; do not
edit. Regenerate with `nox -s generate`.
"""
