"""Checking breaking numbers: whether targets survive a few more sightings."""
