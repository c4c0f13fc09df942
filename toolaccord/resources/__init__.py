"""Resources: what the pipeline runs for their clients, and reports of changes."""
