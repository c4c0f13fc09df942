"""Language models of agents: their check at start, and the texts that they write."""
