"""Engines: what decides questions, each by proofs only."""
