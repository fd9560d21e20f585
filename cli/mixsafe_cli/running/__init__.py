"""Runs of commands: what was typed, what is read, time and workers, and where answers go."""
