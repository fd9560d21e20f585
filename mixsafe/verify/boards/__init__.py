"""Clauses about tokens on wires: refutations on all rows, and boards of few rows."""
