"""Random numbers for compiled code: the same on every machine and in every thread.

A xorshift generator (Marsaglia, 2003), whose state is an array of one number, as compiled functions
can change no other. Which numbers are drawn decides what is found, though never whether it is true.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import inner

State = npt.NDArray[np.uint64]
"""(1,): any number but 0, which would stay 0."""

_BEGINNING = 88172645463325252  # Marsaglia's own


def beginning(seed: int) -> State:
    """State of the generator of one seed, any but the number above."""
    return np.array([_BEGINNING ^ seed], np.uint64)


def spread_beginning(seed: int) -> State:
    """The same for seeds that follow each other: states of theirs lie far apart."""
    return beginning(seed * 2654435761 & (1 << 64) - 1)


@inner
def step(state: State) -> np.uint64:  # pragma: no cover - compiled
    """The next state."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return x


@inner
def next_random(state: State, bound: int) -> int:  # pragma: no cover - compiled
    """Number in 0..bound-1."""
    return int((step(state) >> np.uint64(11)) % np.uint64(bound))


@inner
def drawn(state: State, bound: int) -> int:  # pragma: no cover - compiled
    """Number in 0..bound-1, bound < 2^31, without a division."""
    return int(((step(state) >> np.uint64(33)) * np.uint64(bound)) >> np.uint64(31))


@inner
def uniform(state: State) -> float:  # pragma: no cover - compiled
    """Number from 0 on and below 1, one of 2^53."""
    return int(step(state) >> np.uint64(11)) * 2.0**-53
