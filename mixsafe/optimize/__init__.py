"""Minimum mix zones: where an exchange must really happen, and nowhere else."""
