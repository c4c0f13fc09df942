"""Calls that become tasks, and the runs of those tasks."""
