"""What an audit has proven, in arrays, before it is put into words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.network.wires import WireNetwork
from mixsafe.verify.auditor.presence import Presence
from mixsafe.verify.core.tokens import TokenSets


@dataclass(frozen=True, eq=False)
class Findings:
    """Bounds on the tracks of each known user, and on the users of each piece of a track.

    Step t of the data is step t + 1 here; at step 1 all tracks meet, which names nobody.

    Parameters
    ----------
    network
        Wires of the published tracks; zone 0 is the start (if there are two tracks or more).
    n_known
        Known users are the tokens 0 to n_known - 1.
    lower, upper
        Tracks that are proven, and that are possible, of each known user at each step.
    decided_by
        (n_known, steps) codes of arguments.
    proven, possible
        (n_wires, words): tokens of each wire.
    base
        (n_known, steps) track of each known user in one solution; None: none was found.
    """

    network: WireNetwork
    n_known: int
    lower: Presence
    upper: Presence
    decided_by: npt.NDArray[np.uint8]
    proven: TokenSets
    possible: TokenSets
    base: npt.NDArray[np.int32] | None

    def tracks(self, user: int, step: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Tracks that are proven to be, and that can be, a known user's at a step of the data.

        Parameters
        ----------
        user
            From 0, in the order of the known users.
        step
            From 1.
        """
        row = np.arange(int(self.network.row.max()) + 1)
        wire = self.network.wire_at(row, np.full_like(row, step + 1))
        word, bit = divmod(user, 64)
        proven, possible = (
            row[(sets[wire, word] >> np.uint64(bit)) & np.uint64(1) == 1]
            for sets in (self.proven, self.possible)
        )
        return proven, possible
