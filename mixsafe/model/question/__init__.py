"""What is asked: mix zones, what the adversary knows, requirements, and all three as a problem."""
