"""Reports of findings: for people, for other programs, for a page."""
