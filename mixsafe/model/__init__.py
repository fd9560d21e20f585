"""Immutable records of the domain, validated on construction, without algorithms."""
