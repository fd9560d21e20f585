"""What a search for witnesses has found, for a run that goes on from there."""

from __future__ import annotations

import numpy as np

from mixsafe.certify.witnesses.differences import Differences
from mixsafe.certify.witnesses.wanted import Wanted
from mixsafe.journal.steps import Entry
from mixsafe.solver.local.luck import Luck, no_luck

_COLUMNS = ("missing", "have", "shown_by", "n_shown")


def state_of(wanted: Wanted, told: Differences, luck: Luck) -> Entry:
    """What is still wanted after a step, the witnesses that it brought, and luck so far."""
    columns = {name: getattr(wanted, name) for name in _COLUMNS}
    return {**columns, **told._asdict(), **luck._asdict()}


def taken_up(entry: Entry, wanted: Wanted) -> tuple[Differences, Luck]:
    """The witnesses of a step and luck; ``wanted`` is as it was after it."""
    for name in _COLUMNS:
        getattr(wanted, name)[:] = entry[name]
    ptr, wire = (entry[name].astype(np.int64, copy=False) for name in ("ptr", "wire"))
    told = Differences(ptr, wire, entry["token"].astype(np.int32, copy=False))
    return told, no_luck().with_those_of(entry["moves"], entry["witnesses"])
