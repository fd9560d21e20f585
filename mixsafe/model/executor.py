"""Interface of executors, which run independent tasks on other machines."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Found = dict[str, npt.NDArray[np.generic]]
"""Result of a task: arrays by name. It must not depend on time or on other tasks."""


class Executor(Protocol):
    """Runs tasks on workers of several machines."""

    def share(self, context: object) -> str:
        """Store a context that many tasks share, so that all workers can read it.

        Returns
        -------
        str
            Its name, for :meth:`each`.
        """

    def each(
        self, work: Callable[[Any, Any], Found], shared: str, tasks: Sequence[object]
    ) -> Iterator[Found]:
        """Run tasks, and yield their results in the order of the tasks.

        Parameters
        ----------
        work
            Function of a module, or a ``partial`` of one, that runs a task in a context. Both may
            contain a :class:`mixsafe.model.limits.Deadline`; a result cut short by one is returned,
            but not stored.
        shared
            Name of the context.
        tasks
            The tasks; all are submitted at once.

        Raises
        ------
        InputError
            The cluster is lost, or a task failed on all workers.
        """


def as_found(value: object) -> Found:
    """Encode any value as a task's result."""
    return {"pickled": np.frombuffer(pickle.dumps(value), np.uint8)}


def value_of(found: Found) -> Any:  # noqa: ANN401 - whatever was found
    """Decode a value encoded by :func:`as_found`."""
    return pickle.loads(found["pickled"].tobytes())
