"""Random numbers for compiled code: the same on every machine and in every thread.

A xorshift generator (Marsaglia, 2003). Its state is an array of one number, because compiled
functions cannot change a scalar argument. The numbers drawn decide what is found, never whether it
is true.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner

State = npt.NDArray[np.uint64]
"""(1,): any number except 0, which would stay 0."""

_BEGINNING = 88172645463325252  # Marsaglia's own


def beginning(seed: int) -> State:
    """Initial state for a seed. The seed must differ from the number above."""
    return np.array([_BEGINNING ^ seed], np.uint64)


def spread_beginning(seed: int) -> State:
    """Initial state for a seed; consecutive seeds get states that are far apart."""
    return beginning(seed * 2654435761 & (1 << 64) - 1)


@inner
def step(state: State) -> np.uint64:  # pragma: no cover - compiled
    """Advance the state, and return it."""
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
    """Number in [0, 1), a multiple of 2^-53."""
    return int(step(state) >> np.uint64(11)) * 2.0**-53
