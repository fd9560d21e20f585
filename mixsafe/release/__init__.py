"""What is published: pseudonyms that are shuffled, or exchanged at mix zones."""
