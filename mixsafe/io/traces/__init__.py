"""Formats of traces and related files: places, sightings at places, lists of users, models."""
