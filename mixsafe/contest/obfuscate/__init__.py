"""Obfuscations: those of the organizers, and those of teams."""
