"""Prompts: what the pipeline runs for their clients."""
