"""Notes about what teams hand in, from worker processes to the one that tells people."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from mixsafe.errors import InputNote

Task = TypeVar("Task")
Made = TypeVar("Made")


def with_notes(make: Callable[[Task], Made], task: Task) -> tuple[Made, list[str]]:
    """What is made of a task, and the notes that came up."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", InputNote)
        made = make(task)
    return made, [str(one.message) for one in heard if issubclass(one.category, InputNote)]


def passing_on(results: Iterable[tuple[Made, list[str]]]) -> Iterator[Made]:
    """Results as they come, with their notes given here."""
    for made, notes in results:
        for note in notes:
            warnings.warn(note, InputNote, stacklevel=2)
        yield made
