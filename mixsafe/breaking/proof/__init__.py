"""Certificates of breaking numbers: what survives, and what breaks."""
