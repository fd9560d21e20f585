"""Answers: verdicts and their certificates."""
