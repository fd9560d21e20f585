"""Measures beside the scores: what traces are still good for, what they give away, fairness."""
