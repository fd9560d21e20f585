"""What is answered: verdicts, and certificates of them."""
