"""Implicit hitting sets: one loop and one master problem; callers provide oracles."""
