"""Checking breaking numbers: that a few more sightings leave somebody safe, or do not."""
