"""Weighing: how likely each candidate is, not only how many there are."""
