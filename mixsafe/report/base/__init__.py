"""Shared parts of pages and pictures: frame, words, colours."""
