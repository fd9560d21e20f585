"""Who waits hears that functions are being compiled, which takes seconds in a first run."""

from __future__ import annotations

import gc
from typing import Any
from weakref import WeakSet

from numba.core import event

from mixsafe.model.progress import compiling


class _Watch(event.Listener):
    """Begins with a function that is watched, and ends with it; those within it do not count.

    Meanwhile no garbage is collected: there is little, and looking for it takes a tenth of the
    time. Only one thread compiles at a time.
    """

    def __init__(self) -> None:
        self.watched: WeakSet[Any] = WeakSet()
        self._depth = 0
        self._collects = False

    def on_start(self, event: event.Event) -> None:
        """Begin with a function, or with one within it."""
        if self._depth or event.data["dispatcher"] in self.watched:
            self._depth += 1
            if self._depth == 1:
                self._collects = gc.isenabled()
                gc.disable()
                compiling(True)

    def on_end(self, event: event.Event) -> None:
        """End with it."""
        if self._depth:
            self._depth -= 1
            if self._depth == 0:
                if self._collects:
                    gc.enable()
                compiling(False)


_WATCH = _Watch()
event.register("numba:compile", _WATCH)


def watch(dispatcher: Any) -> None:  # noqa: ANN401 - what Numba makes of a function
    """Tell who waits whenever this function is compiled."""
    _WATCH.watched.add(dispatcher)
