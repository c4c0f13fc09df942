"""Sessions of clients of 2025-11-25 over HTTP, with the events that they can read again."""
