"""Synthetic traces: seeded scenarios, and the samples made with them."""
