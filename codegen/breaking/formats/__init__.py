"""A judgement as text: for people, for other programs, for a page."""
