"""Extraction of what does not fit into memory: the same zones, by sorting on disk."""
