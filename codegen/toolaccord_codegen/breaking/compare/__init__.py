"""Compare two states of a contracts folder part by part."""
