"""The solver: one engine under every question, by proofs only."""
