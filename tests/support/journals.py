"""A journal in memory."""

from __future__ import annotations

from mixsafe.model.course import NoJournal


class Kept(NoJournal):
    """A journal in memory: entries by step, and how many were recalled."""

    def __init__(self) -> None:
        self.entries, self.recalled = {}, 0

    def recall(self, step):
        """What was kept of a step."""
        self.recalled += step in self.entries
        return self.entries.get(step)

    def keep(self, step, entry):
        """Keep it."""
        self.entries[step] = entry
