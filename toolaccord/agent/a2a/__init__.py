"""A2A: an agent that other agents ask over HTTP."""
