"""Questions that a handler asks its caller while it answers a call."""
