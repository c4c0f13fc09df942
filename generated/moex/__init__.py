"""Servers of the system moex.

Generated from contracts/moex/iss.json; do not edit. Regenerate with `nox -s generate`.
"""
