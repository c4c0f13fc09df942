"""Rules for agents: their contracts, batches and queues, and the servers that they use."""
