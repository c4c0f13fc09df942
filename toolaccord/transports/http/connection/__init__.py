"""Connections and their limits: size, time, descriptors, buffered output."""
