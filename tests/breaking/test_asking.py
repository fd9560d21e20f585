"""Walks for many targets at once stop when the time is up, whatever is left to be looked at."""

from __future__ import annotations

import numpy as np
import pytest

from mixsafe.breaking import asking
from mixsafe.breaking.asking import SHORT, BreakingOracle, TargetState, Tried
from mixsafe.breaking.conflicts import KnownUsers, Witness
from mixsafe.breaking.searching import Pursuit
from mixsafe.breaking.swapping import Meetings
from mixsafe.breaking.targets import Allowed, WantedTargets, targets
from mixsafe.model.course import Course, Deadline
from mixsafe.network.wires import WireNetwork
from tests.support.strategies import problem


class Watch(Deadline):
    """A moment that is passed after it was asked about so many times."""

    def __init__(self, times: int) -> None:
        super().__init__(None)
        self._times = times

    @property
    def passed(self) -> bool:
        self._times -= 1
        return self.is_over

    @property
    def is_over(self) -> bool:
        return self._times < 0


def _tried() -> tuple[WireNetwork, list[Tried]]:
    """Everybody's stretches, where who meets whom changes from step to step: swaps show little."""
    random = np.random.default_rng(5)
    zones = [
        (step, sorted(pair))
        for step in range(1, 13)
        for pair in random.permutation(8).reshape(4, 2).tolist()
    ]
    known = [(user, step) for user in range(8) for step in (0, 13)]
    asked = problem(8, 13, zones, known)
    network = WireNetwork.of(asked.zones)
    meetings, found = Meetings(network, KnownUsers.of(asked.knowledge, network)), []
    for target in targets(asked.zones, network, WantedTargets(3), None):
        one = Pursuit(target, meetings, Allowed("self", None, 0), network, 1)
        chosen = one.propose(Deadline(None))
        if chosen is not None:
            found.append(Tried(one.swapping, chosen))
    return network, found


def test_no_target_is_looked_at_after_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    network, tried = _tried()
    seen = problem(8, 13, [], [(user, step) for user in range(8) for step in (0, 13)]).knowledge
    known = KnownUsers.of(seen, network)

    def witnesses(until: Deadline) -> list[Witness | None]:
        return BreakingOracle(network, seen, known, Course.begin().until(until)).witnesses(
            tried, SHORT, 0
        )

    whole = witnesses(Deadline(None))
    assert sum(witness is not None for witness in whole) > 3
    conflicts, of_swaps, late = asking.conflicts, TargetState.of_swaps, list[str]()
    for times in range(0, 3 * len(tried), 7):
        watch = Watch(times)

        def noted_conflicts(*given: object, watch: Watch = watch) -> object:
            late.extend(["conflicts"] if watch.is_over else [])
            return conflicts(*given)  # type: ignore[arg-type]

        def noted_swaps(*given: object, watch: Watch = watch) -> object:
            late.extend(["swaps"] if watch.is_over else [])
            return of_swaps(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(asking, "conflicts", noted_conflicts)
        monkeypatch.setattr(TargetState, "of_swaps", noted_swaps)
        found = witnesses(watch)
        assert len(found) == len(tried)
        assert not late
