"""Rules for views of results."""
