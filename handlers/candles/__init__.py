"""The candles that InfluxDB stores, and their queries in each of its languages."""
