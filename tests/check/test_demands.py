"""What readers demand: a certificate of another question is refused, and told what differs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mixsafe.check.demands import compare, compare_places, demand
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Audited, Certificate, ChosenZones, ZoneCores
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.mobility.published_steps import PublishedSteps
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.adversary import Pins, Seen
from mixsafe.model.question.mix_zones import Relation
from mixsafe.model.question.places import ZonePlaces
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Rule
from tests.support.certificates import Claim, Written, witnesses_of
from tests.support.strategies import problem

ZONES = [(1, [0, 1]), (1, [2, 3, 4]), (3, [0, 1])]
SEEN, WANTED = [(0, 0), (1, 3)], [(0, 2, 2), (1, 1, 3)]
ASKED = problem(6, 4, ZONES, SEEN, WANTED)
OWN = replace(
    Written(
        ASKED,
        Rule("share", 0.5),
        None,
        (Claim(0, 2, 2, 2, Verdict.UNDECIDED), Claim(1, 1, 1, 3, Verdict.UNDECIDED)),
    ).certificate,
    adversary="home",
)


def of(asked: Problem, seen: Seen | None = None) -> Certificate:
    audited = None if seen is None else Audited(seen, witnesses_of([()]))
    return replace(OWN, problem=asked, audited=audited)


def test_places_that_put_zones_together_in_another_way_are_refused() -> None:
    none, empty = np.zeros(0, np.int32), ZoneCores.of([])
    places = ZonePlaces.named(["P", "Q", "P"])
    own = replace(OWN, chosen=ChosenZones(none, "count", 0, empty, none, places))
    compare_places(OWN, [])
    compare_places(own, [np.array([0, 1, 2]), np.array([5, 3, 5])])
    for other in ([0, 0, 1], [0, 0, 0], [0, 1, 2]):
        with pytest.raises(InputError, match="its places are not those of the source"):
            compare_places(own, [np.array(other)])


@pytest.mark.parametrize(
    ("demanded", "message"),
    [
        ({"k": 2}, "k is 2, 3, not 2"),
        ({"k": 4}, "k is 2, 3, not 4"),
        ({"rule": Rule("every")}, "the rule is 'share:0.5', not 'every'"),
        ({"rule": Rule("share", 0.5000001)}, "the rule is 'share:0.5', not 'share:0.5000001'"),
        ({"adversary": "daily"}, "the adversary is 'home', not 'daily'"),
    ],
)
def test_what_is_not_as_demanded_is_refused(demanded: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        demand(OWN, **demanded)


def test_what_is_as_demanded_or_not_demanded_passes() -> None:
    demand(OWN)
    demand(OWN, rule=Rule("share", 0.5), adversary="home")
    two = problem(6, 4, ZONES, SEEN, [(0, 2, 2), (1, 1, 2)])
    demand(of(two), k=2, rule=Rule("share", 0.5), adversary="home")


def with_zones(**columns: Any) -> Problem:
    return replace(ASKED, zones=replace(ASKED.zones, **columns))


Pairs = list[tuple[int, int]]
"""Places of members in the array of all members."""

RING, BACK, OTHER_ZONE = [(2, 3), (3, 4), (4, 2)], [(3, 2), (4, 3), (2, 4)], [(0, 1), (1, 0)]


def pairs_of(pairs: Pairs) -> Relation:
    ptr = ASKED.zones.ptr
    one, other = np.array(pairs).T
    return Relation.of(ptr, np.unique(np.searchsorted(ptr, one, side="right") - 1), one, other)


OTHERS = {
    "users in another order": (with_zones(users=np.array([1, 0, 2, 3, 4, 5])), "users"),
    "somebody without data": (with_zones(absent=np.array([5])), "users without data"),
    "gaps": (
        with_zones(published=PublishedSteps(np.arange(7), np.ones(6, np.int32))),
        "published steps",
    ),
    "other steps": (with_zones(axis=TimeAxis(5)), "steps"),
    "steps of other times": (with_zones(axis=TimeAxis(4, 2)), "steps"),
    "a zone at another step": (problem(6, 4, [*ZONES[:2], (2, [0, 1])], SEEN, WANTED), "zones"),
    "a zone of others": (problem(6, 4, [*ZONES[:2], (3, [0, 2])], SEEN, WANTED), "zones"),
    "the same users in other zones": (
        problem(6, 4, [(1, [0, 1, 2]), (1, [3, 4]), ZONES[2]], SEEN, WANTED),
        "zones",
    ),
    "fewer exchanges": (with_zones(relation=pairs_of(RING)), "allowed exchanges"),
    "a sighting of somebody else": (problem(6, 4, ZONES, [(0, 0), (2, 3)], WANTED), "knowledge"),
    "a sighting at another step": (problem(6, 4, ZONES, [(0, 0), (1, 4)], WANTED), "knowledge"),
    "another user asked about": (
        problem(6, 4, ZONES, SEEN, [(0, 2, 2), (2, 1, 3)]),
        "requirements",
    ),
    "another step asked about": (
        problem(6, 4, ZONES, SEEN, [(0, 3, 2), (1, 1, 3)]),
        "requirements",
    ),
    "another k asked for": (problem(6, 4, ZONES, SEEN, [(0, 2, 2), (1, 1, 2)]), "requirements"),
    "nothing asked": (problem(6, 4, ZONES, SEEN), "requirements"),
    "much": (problem(6, 5, ZONES[:2], SEEN[:1]), "steps, zones, knowledge, requirements"),
}


@pytest.mark.parametrize(
    ("one", "other", "same"), [(RING, RING, True), (RING, BACK, False), (RING, OTHER_ZONE, False)]
)
def test_the_exchanges_that_zones_allow_are_compared(one: Pairs, other: Pairs, same: bool) -> None:
    certificate, source = (with_zones(relation=pairs_of(those)) for those in (one, other))
    if same:
        compare(of(certificate), source)
    else:
        with pytest.raises(InputError, match=r"source: allowed exchanges differ$"):
            compare(of(certificate), source)


@pytest.mark.parametrize("name", OTHERS)
def test_another_problem_is_refused_with_all_that_differs(name: str) -> None:
    other, differing = OTHERS[name]
    for one, problem_ in ((OWN, other), (of(other), ASKED)):
        with pytest.raises(InputError, match=f"not that of the source: {differing} differ$"):
            compare(one, problem_)


def test_the_same_problem_passes() -> None:
    compare(OWN, problem(6, 4, ZONES, SEEN, WANTED))
    compare(of(problem(6, 4, ZONES, SEEN)), problem(6, 4, ZONES, SEEN))


def seen(
    users: tuple[int, ...] = (0, 1),
    token: tuple[int, ...] = (0, 1),
    time: tuple[int, ...] = (1, 2),
    ptr: tuple[int, ...] = (0, 1, 3),
    rows: tuple[int, ...] = (0, 1, 2),
) -> Seen:
    whole = (np.array(one, np.int32) for one in (token, time))
    return Seen(np.array(users), Pins(*whole, np.array(ptr), np.array(rows, np.int32)))


@pytest.mark.parametrize(
    "other",
    [
        None,
        seen(users=(1, 0)),
        seen(token=(1, 0)),
        seen(time=(1, 3)),
        seen(ptr=(0, 2, 3)),
        seen(rows=(0, 1, 3)),
    ],
)
def test_other_sightings_of_an_auditor_are_refused(other: Seen | None) -> None:
    compare(of(ASKED, seen()), ASKED, seen())
    for one, another in ((other, seen()), (seen(), other)):
        with pytest.raises(InputError, match=r"source: sightings differ$"):
            compare(of(ASKED, one), ASKED, another)
