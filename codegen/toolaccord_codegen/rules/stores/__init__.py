"""Rules for keys with state in a store: caches, idempotency keys, rate limits."""
