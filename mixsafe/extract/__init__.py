"""Traces in, positions and mix zones out."""
