"""Counting: a dynamic program that adds up the weights of histories."""
