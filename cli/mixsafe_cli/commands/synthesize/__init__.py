"""``mixsafe synthesize``."""
