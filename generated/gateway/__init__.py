"""Servers of the system gateway.

Generated from contracts/gateway/swimmy.json; do not edit. Regenerate with `nox -s generate`.
"""
