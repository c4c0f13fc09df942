"""Servers and models generated from the contracts.

Generated from contracts/**/*.json; do not edit. Regenerate with `nox -s generate`.
"""
