"""Absences of a user: who can come meanwhile, and how soon she is back."""

from __future__ import annotations

from mixsafe.breaking.swapping import absences
from mixsafe.network.wires import WireNetwork
from tests.support.strategies import problem


def test_absences_say_who_can_come_and_how_soon_she_is_back() -> None:
    # 0 leaves to 1 at step 1; 1 meets 2, who meets 0 at step 3. At step 5 only 3 is there.
    zones = [(1, [0, 1]), (2, [1, 2]), (3, [0, 2]), (5, [0, 3])]
    found = absences(WireNetwork.of(problem(4, 6, zones).zones), 0, 2)
    told = sorted(zip(*(one.tolist() for one in found), strict=True))
    assert told == [(1, 2, 1), (1, 4, 1), (2, 4, 2), (3, 4, 1)]
