"""Variations: witnesses that are an exchange away from one, or one and those that mend it.

A witness that was hard to find has many neighbours that are witnesses, too, and one of them often
shows on an open wire what was looked for. To look at all of them takes less time than a hundredth
of a try.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled
from mixsafe.solver.local.histories import (
    BEHIND,
    FIRST,
    LAST,
    SEEN,
    TOKEN,
    History,
    Landscape,
)
from mixsafe.solver.local.moves import Aim, Hand, attempt
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets


@compiled
def vary(  # pragma: no cover - compiled
    begin: int,
    targets: npt.NDArray[np.int64],
    unwanted: TokenSets,
    history: History,
    around: Landscape,
    hand: Hand,
) -> int:
    """Make a witness that shows a wanted token on a wire, by exchanges on the way to that wire.

    Parameters
    ----------
    begin
        Place among ``targets`` to look at first.
    targets
        (n,) wires, by their numbers in the landscape.
    unwanted
        (n, words): tokens that need not be shown there.
    history
        A witness; afterwards the next one, if there is one.
    around, hand
        As for annealing. The hand must be cold.

    Returns
    -------
    int
        Place of the wire on which a wanted token is now; n: there is none.
    """
    wires = history.wires
    for k in range(begin, len(targets)):
        wire = targets[k]
        if wires[wire, SEEN] >= 0:
            continue
        one = wires[wire, BEHIND]
        since = wires[one, FIRST]
        while one >= 0:
            for other in range(wires[one, FIRST], wires[one, LAST]):
                if other == one or tokens.holds(unwanted[k], wires[other, TOKEN]):
                    continue
                aim = Aim(wire, since, unwanted[k])
                if attempt(one, other, aim, history, around, hand):
                    return k
            one = -1 if wires[one, SEEN] >= 0 else wires[one, BEHIND]
    return len(targets)
