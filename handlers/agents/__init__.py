"""Judgement of the agents."""
