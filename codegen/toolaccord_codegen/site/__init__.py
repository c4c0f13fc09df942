"""Static pages from contracts, and from the Markdown of a project."""
