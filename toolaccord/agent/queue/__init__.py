"""Sharing of requests by processes on several machines, over NATS JetStream."""
