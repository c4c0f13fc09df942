"""Compare two states of a contracts folder and report the changes that break callers."""
