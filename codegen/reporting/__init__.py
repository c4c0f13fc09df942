"""What judges of contracts found, printed: for people, for other programs, for a page."""
