"""Answers for people at a terminal."""
