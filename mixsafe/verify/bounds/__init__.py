"""Bounds for all wires at once: what can be, from above, and what certainly can, from below."""
