"""Windows of time around open wires, decided by CP-SAT."""
