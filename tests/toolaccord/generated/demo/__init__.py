"""Servers and agents of the system demo.

Generated from tests/toolaccord/contracts/demo/alarm.json, demo/counter.json, demo/desk.json,
demo/everything.json, demo/forecast.json, demo/gallery.json, demo/gate.json, demo/ledger.json,
demo/library.json, demo/mail.json, demo/museum.json, demo/relay.json, demo/scout.json; do not edit. Regenerate
with `python -m tests.toolaccord.compilation`.
"""
