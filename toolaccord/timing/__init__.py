"""Clocks and deadlines, given as arguments so that tests control time."""
