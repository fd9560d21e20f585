"""What is particular to certificates of audits: ways of tokens, and what is asked."""
