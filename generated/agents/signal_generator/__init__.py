"""signal-generator: Signal generator.

Generated from contracts/agents/signal_generator.json; do not edit. Regenerate with `nox -s generate`.
"""
