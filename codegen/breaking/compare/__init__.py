"""Comparison of two states of a contracts folder, part by part."""
