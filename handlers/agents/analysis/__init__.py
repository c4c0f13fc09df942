"""Answers of the analyst, and the words of its findings; all of it is pure."""
