"""The pseudonymizers, by name: who decides whose cells each pseudonym carries.

To add one, write a function from released cells and random numbers to a table, and register it::

    from mixsafe.contest.pseudonymizers import PSEUDONYMIZERS, Pseudonymization

    with PSEUDONYMIZERS.registered(Pseudonymization("mine", "…", "…", my_table)):
        ...

``contest run --pseudonymization mine`` and ``contest tournament --pseudonymization mine`` have it
in the block, and pages say what it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mixsafe.model.choices import Choices

if TYPE_CHECKING:
    import numpy as np

    from mixsafe.model.release import Cells, IdTable

SHUFFLE, MIXZONE = "shuffle", "mixzone"


@dataclass(frozen=True)
class Pseudonymization:
    """How pseudonyms are given.

    Parameters
    ----------
    name
        Name in options.
    about
        What it does, in a few words.
    sentence
        The same for pages, without its full stop.
    table
        Table for cells; without random numbers, from the system's cryptographic source. It loads
        what it needs when it is called.
    """

    name: str
    about: str
    sentence: str
    table: Callable[[Cells, np.random.Generator | None], IdTable]


def _shuffled(cells: Cells, random: np.random.Generator | None) -> IdTable:
    from mixsafe.release.exchange import shuffled_table

    return shuffled_table(cells, random)


def _exchanged(cells: Cells, random: np.random.Generator | None) -> IdTable:
    from mixsafe.release.exchange import exchanged_table

    return exchanged_table(cells, random)


PSEUDONYMIZERS: Choices[Pseudonymization] = Choices(
    "pseudonymization",
    Pseudonymization(
        SHUFFLE,
        "one pseudonym from end to end",
        "One pseudonym for each person, from end to end, shuffled",
        _shuffled,
    ),
    Pseudonymization(
        MIXZONE,
        "exchanged wherever people meet",
        "Pseudonyms are exchanged wherever people meet",
        _exchanged,
    ),
)
"""Who gives pseudonyms."""
