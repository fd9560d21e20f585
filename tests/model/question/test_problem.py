"""The hash of a question: another one for all that its answer depends on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.adversary import Pins, Seen
from mixsafe.model.question.problem import fingerprint
from tests.support.strategies import problem

ZONES, SEEN = [(1, [0, 1]), (3, [0, 1])], [(0, 0), (0, 4)]
ASKED = problem(4, 4, ZONES, SEEN, [(0, 2, 2)])
PINS = Pins.own(np.array([0], np.int32), np.array([1], np.int32))


def test_whatever_an_answer_depends_on_changes_the_hash() -> None:
    zones, users = ASKED.zones, np.array([0, 1])
    others = [
        ASKED,
        *(
            replace(ASKED, zones=replace(zones, **changed))
            for changed in (
                {"users": np.array([1, 0, 2, 3])},
                {"axis": TimeAxis(5)},
                {"axis": TimeAxis(4, 2)},
                {"absent": np.array([2])},
                {"absent": np.array([3])},
                {"absent": np.array([2, 3])},
            )
        ),
        problem(4, 4, [(1, [0, 1]), (2, [0, 1])], SEEN, [(0, 2, 2)]),
        problem(4, 4, [(1, [0, 1]), (3, [0, 2])], SEEN, [(0, 2, 2)]),
        problem(4, 4, ZONES, [(0, 0), (0, 3)], [(0, 2, 2)]),
        problem(4, 4, ZONES, SEEN, [(0, 2, 3)]),
        problem(4, 4, ZONES, SEEN),
    ]
    seen = [None, Seen(users, PINS), Seen(users[::-1], PINS), Seen(users[:1], PINS)]
    hashes = {fingerprint(one) for one in others} | {fingerprint(ASKED, one) for one in seen}
    assert len(hashes) == len(others) + len(seen) - 1


def test_its_name_does_not() -> None:
    assert fingerprint(replace(ASKED, name="another")) == fingerprint(ASKED)
