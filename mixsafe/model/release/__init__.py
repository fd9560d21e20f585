"""Releases: released cells, the secret table, and sightings at places."""
