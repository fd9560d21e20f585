"""Consequences of the knowledge: reachability, matchings, probing."""
