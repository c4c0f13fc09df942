"""The handlers of the system moex: what its tools answer, from the exchange's information server (ISS)."""
