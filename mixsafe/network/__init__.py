"""Mix zones as a network of wires: what the engines work on."""
