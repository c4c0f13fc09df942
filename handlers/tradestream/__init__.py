"""TradeStream's tools, and the schema of the database that they read."""
