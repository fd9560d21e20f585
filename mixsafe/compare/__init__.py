"""The same questions to several engines, side by side."""
