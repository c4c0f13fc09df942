"""Servers of the system platform.

Generated from contracts/platform/execution.json, platform/features.json, platform/risk.json,
platform/storage.json; do not edit. Regenerate with `nox -s generate`.
"""
