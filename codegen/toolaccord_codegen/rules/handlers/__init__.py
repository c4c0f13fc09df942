"""Rules for the modules of handlers."""
