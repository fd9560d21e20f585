"""Decide exactly whether pseudonymized location traces are safe to publish."""
