"""A model of replicas and callers, with measured costs, compared with real processes."""
