"""Formats of traces and what comes with them: places, sightings at places, users, models."""
