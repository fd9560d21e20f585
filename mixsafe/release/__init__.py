"""Releases: pseudonyms that are shuffled once, or exchanged at mix zones."""
