"""Interface of journals, which keep the results of long steps in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
import numpy.typing as npt

RunKey = Mapping[str, str | int | float | bool | None]
"""All that the outcome of a run depends on, by name."""

Entry = dict[str, npt.NDArray[np.generic]]
"""The result of a step: arrays by name. Must not depend on time or the number of workers."""


class Journal(Protocol):
    """Entries in the order in which steps were taken."""

    def begin(self, question: RunKey) -> None:
        """Start a question.

        Raises
        ------
        InputError
            The run that was kept was about another one.
        """

    def recall(self, step: str) -> Entry | None:
        """The next entry, which must be of ``step``; None: no more were kept.

        Raises
        ------
        InputError
            It is of another step, so the run that it is from was not this one.
        """

    def keep(self, step: str, entry: Entry) -> None:
        """Add an entry at the end."""

    def cut(self) -> None:
        """Stop recording: a time limit has changed the course of the run."""


class NoJournal:
    """A journal that records and recalls nothing."""

    def begin(self, question: RunKey) -> None:
        """Any question will do."""

    def recall(self, step: str) -> Entry | None:
        """Return None."""
        return None

    def keep(self, step: str, entry: Entry) -> None:
        """Forget it."""

    def cut(self) -> None:
        """Do nothing."""
