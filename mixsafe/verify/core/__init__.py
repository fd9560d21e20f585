"""The question as engines see it: tokens on wires, what is known of them, and by what."""
