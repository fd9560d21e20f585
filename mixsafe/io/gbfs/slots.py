"""Time slots of vehicles: ``vehicle_availability.json`` of GBFS 3.1, beside the snapshots.

A vehicle that can be booked has slots in which it is free. Bookings of the next days do not end
with a trip, so the slots of an identifier go on with the next one of the vehicle.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.io.gbfs.parsing import Place, moment, vehicles_of

Values = npt.NDArray[np.float64]
Pattern = tuple[tuple[int, bool], ...]
"""Ascending Unix seconds after the snapshot at which slots begin (True) or end."""

MARK = b'"availabilities"'
"""What only files of slots contain."""


@dataclass
class Slots:
    """The first and the last slots of each identifier.

    Parameters
    ----------
    first, last
        By identifier; identifiers without slots to come are not in it.
    """

    first: dict[str, Pattern] = field(default_factory=dict)
    last: dict[str, Pattern] = field(default_factory=dict)

    def learn(self, document: Any, place: Place) -> None:  # noqa: ANN401 -- whatever the file says
        """Take the slots of a file; an older file comes first.

        Raises
        ------
        InputError
            They are not lists of slots with times, or the file has no time.
        """
        key, vehicles = vehicles_of(document) or ("", [])
        now = moment(document.get("last_updated"), place, "last_updated")
        for number, vehicle in enumerate(vehicles, 1):
            slots = vehicle.get("availabilities") if isinstance(vehicle, dict) else None
            if not isinstance(slots, list) or not all(isinstance(one, dict) for one in slots):
                raise place.error(f"vehicle {number} has no list of slots", "availabilities")
            pattern = _pattern(slots, now, place)
            name = str(vehicle.get(key))
            if pattern:
                self.first.setdefault(name, pattern)
                self.last[name] = pattern
            else:
                self.last.pop(name, None)

    def columns(self, ids: Iterable[str]) -> tuple[npt.NDArray[np.object_], ...]:
        """(n,) first and (n,) last slots of identifiers, None where there are none."""
        names = list(ids)
        found = tuple(np.empty(len(names), object) for _ in range(2))
        for column, known in zip(found, (self.first, self.last), strict=True):
            column[:] = [known.get(name) for name in names]
        return found


def _pattern(slots: list[dict[str, Any]], now: int, place: Place) -> Pattern:
    """Begins and ends of slots that are still to come."""
    said = [(one.get("from"), True, "from") for one in slots]
    said += [(one["until"], False, "until") for one in slots if one.get("until") is not None]
    times = ((moment(value, place, key), begins) for value, begins, key in said)
    return tuple(sorted(one for one in times if one[0] > now))


def numbered_slots(patterns: npt.NDArray[np.object_]) -> tuple[Values, Values]:
    """Numbers of slots, so that those of one vehicle can be told from them.

    As time passes, the slots of a vehicle lose their first times. Those of all that have what is
    left as their last times are numbered from ``number`` to ``until`` of what is left.

    Parameters
    ----------
    patterns
        (n,) of type ``Pattern``, or None.

    Returns
    -------
    number, until
        (n,) each; not a number for None.
    """
    # From the last time back, what is left of a pattern is a prefix of it: they are in the order
    # of a dictionary, in which a prefix is directly before all that begin with it.
    words = sorted({one[::-1] for one in patterns.tolist() if one})
    whole: list[Pattern] = []
    place = {word: number for number, word in enumerate(words)}
    until = np.full(len(words), len(words) - 1.0)
    for number, word in enumerate(words):
        while whole and word[: len(whole[-1])] != whole[-1]:
            until[place[whole.pop()]] = number - 1.0
        whole.append(word)
    row = [place[one[::-1]] if one else -1 for one in patterns.tolist()]
    numbers = np.append(np.arange(len(words), dtype=float), np.nan)
    return numbers[row], np.append(until, np.nan)[row]
