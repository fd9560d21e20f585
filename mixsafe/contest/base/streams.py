"""Random numbers for code that must not learn the judge's seed."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np


def sealed(stream: np.random.Generator) -> np.random.Generator:
    """The same random numbers as a stream's, without the seed that they come from.

    A stream of NumPy names the entropy that all streams of a run begin with, from which the secret
    pseudonyms could be drawn again. Streams that are spawned from a sealed one depend on a hash of
    its state instead.
    """
    state = stream.bit_generator.state
    digest = blake2b(repr(state).encode(), digest_size=16).digest()
    bits = np.random.PCG64(int.from_bytes(digest))
    bits.state = state  # type: ignore[assignment]
    return np.random.Generator(bits)
