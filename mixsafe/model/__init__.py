"""Frozen records, checked at birth: the words of the field, and nothing that computes."""
