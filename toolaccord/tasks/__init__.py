"""Tasks: work that outlives the request that asked for it, its connection and its process."""
