"""Rules for keys whose state the library keeps in a store: caches, idempotency keys, rate limits."""
