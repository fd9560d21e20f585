"""Implicit hitting sets: one loop, one master; the questions bring what they ask."""
