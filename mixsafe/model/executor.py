"""Who does tasks that know nothing of each other, where this machine does not do them alone."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Found = dict[str, npt.NDArray[np.generic]]
"""What a task found: arrays by name. Must not depend on time, nor on who else is at work."""


class Executor(Protocol):
    """Workers on machines that have nothing in common but a folder."""

    def share(self, context: object) -> str:
        """Lay down what many tasks need where all workers see it.

        Returns
        -------
        str
            Its name, for :meth:`each`.
        """

    def each(
        self, work: Callable[[Any, Any], Found], shared: str, tasks: Sequence[object]
    ) -> Iterator[Found]:
        """What each task finds, in the order of the tasks.

        Parameters
        ----------
        work
            A function of a module, or a ``partial`` of one: does a task in a context. Its context
            and its task may hold :class:`mixsafe.model.limits.Deadline`; what was cut short by one
            is handed on, but not kept.
        shared
            The context's name.
        tasks
            One after the other; all are handed out at once.

        Raises
        ------
        InputError
            The cluster is lost, or no worker could do a task.
        """


def as_found(value: object) -> Found:
    """A value of any kind as what a task found."""
    return {"pickled": np.frombuffer(pickle.dumps(value), np.uint8)}


def value_of(found: Found) -> Any:  # noqa: ANN401 - whatever was found
    """The value that :func:`as_found` was given."""
    return pickle.loads(found["pickled"].tobytes())
