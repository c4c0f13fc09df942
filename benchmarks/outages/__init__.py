"""Three replicas behind HAProxy, while they and all that they need are killed in turn."""
