"""The handlers of the system moex, on the exchange's information server (ISS)."""
