"""Claims of texts: every number, direction and action in them is compared with facts."""
