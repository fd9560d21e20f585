"""Requirements on a minimum set of mix zones, so that users pass by a rule."""

from __future__ import annotations

import numpy as np

from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.requirement import Requirements
from mixsafe.network.wires import WireNetwork
from mixsafe.release.enforce import Privacy


def wanted(privacy: Privacy, zones: MixZones, k: int) -> Requirements:
    """Requirements with which each user passes who passes with all zones.

    A rule such as ``some`` leaves open at which times a user is to be private. Of the times at
    which all zones make her private, those are taken at which most users are, since they can share
    zones; the first of equals. A user whom all zones do not let pass keeps what they give her.

    Parameters
    ----------
    privacy
        What all zones make private.
    zones
        All zones.
    k
        Candidates asked for.

    Returns
    -------
    Requirements
        One for each wire: between two meetings of a user all times are alike.
    """
    private = privacy.shown & privacy.safe
    needed = privacy.rule.needed(privacy.shown.sum(axis=1))
    popular = np.argsort(-private.sum(axis=0), kind="stable")
    rank = np.cumsum(private[:, popular], axis=1)
    row, place = np.nonzero(private[:, popular] & (rank <= needed[:, None]))
    step = popular[place] + 1
    wire = WireNetwork.of(zones).wire_at(row, step)
    _, first = np.unique(wire, return_index=True)
    asked = np.full(len(first), k, np.int32)
    return Requirements(row[first].astype(np.int32), step[first].astype(np.int32), asked)
