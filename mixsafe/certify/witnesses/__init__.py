"""Witnesses of safe claims: found again where engines do not keep them."""
