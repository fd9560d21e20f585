"""Audits of several releases together, against all stories that they allow."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.extract.exchange.movement import Movement, PlacedFixes
from mixsafe.model.answer.gaps import Gaps
from mixsafe.model.answer.wording import share
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Positions
from mixsafe.model.release import Sightings
from mixsafe.release import track_beliefs
from mixsafe.release.evidence import Published
from mixsafe.release.together import KnownRelease, audit_together
from tests.support.budgets import budgets

Places = list[list[int | None]]
"""What each track shows at each step."""

Seen = list[tuple[int, int, int]]
"""User, step and place."""


def release(places: Places, seen: Seen, first: int, speed: float | None = 1.0) -> KnownRelease:
    """A release of places on a line; people get ``speed`` places further in a step."""
    shown = [
        (row, step, place)
        for row, track in enumerate(places)
        for step, place in enumerate(track, 1)
        if place is not None
    ]
    row, step, place = np.array(shown, np.int64).reshape(-1, 3).T
    axis = TimeAxis(len(places[0]), first)
    names = np.arange(len(places)) + 10 * first
    where = Positions(names, axis, row.astype(np.int32), step.astype(np.int32), place)
    point = np.stack([place.astype(float), np.zeros(len(place))], axis=1)
    fixes = PlacedFixes(step + first - 1, point, np.zeros(len(place), np.int64))
    users = sorted({user for user, _, _ in seen})
    number = {user: at for at, user in enumerate(users)}
    user, at, there = np.array([[number[u], t, p] for u, t, p in seen], np.int64).reshape(-1, 3).T
    sightings = Sightings(
        np.array(users, np.int64), user.astype(np.int32), at.astype(np.int32), there
    )
    movement = None
    if speed is not None:
        rate = np.full(len(places), speed)
        movement = Movement(row.astype(np.int32), fixes, rate, np.zeros(len(places)), False)
    return KnownRelease("r", Published.of_positions(where), sightings, movement)


def met(places: Places, step: int) -> list[list[int]]:
    groups: dict[int, list[int]] = {}
    for row, track in enumerate(places):
        place = track[step - 1]
        if place is not None:
            groups.setdefault(place, []).append(row)
    return list(groups.values())


def goes_on(places: Places, start: tuple[int, ...], exchanged: bool) -> Iterator[list]:
    """Who is on each track at each step from 0 on, from the start."""

    def later(story: list) -> Iterator[list]:
        step = len(story)
        if step > len(places[0]):
            yield story
            return
        groups = met(places, step) if exchanged else []
        for orders in itertools.product(*(itertools.permutations(one) for one in groups)):
            now = list(story[-1])
            for group, order in zip(groups, orders, strict=True):
                for to, came in zip(group, order, strict=True):
                    now[to] = story[-1][came]
            yield from later([*story, tuple(now)])

    yield from later([start])


def fits(places: Places, story: list, seen: Seen, gaps: Gaps | None) -> bool:
    """Whether all were where they were seen; by default whoever is seen has a fix then."""
    may = {None} if gaps is Gaps.ANYWHERE else set[int | None]()
    return all(places[story[step].index(user)][step - 1] in {place, *may}
               for user, step, place in seen)  # fmt: skip


def counting(places: Places, row: int, first: int, exchanged: bool, last: bool) -> list:
    """Time and place of a track after its last meeting, or before its first one."""
    steps = range(1, len(places[0]) + 1)
    meets = [t for t in steps if exchanged and any(len(g) > 1 and row in g for g in met(places, t))]
    fixes = [(t, places[row][t - 1]) for t in steps if places[row][t - 1] is not None]
    if last:
        kept = [fix for fix in fixes if not meets or fix[0] >= meets[-1]]
    else:
        kept = [fix for fix in fixes if not meets or fix[0] < meets[0]]
    return [(first + t - 1, place) for t, place in kept]


def linked(mine: list, other: list) -> bool:
    """Whether neighbours in time of different releases are near enough."""
    both = [(*fix, 0) for fix in mine] + [(*fix, 1) for fix in other]
    in_order = sorted(both, key=lambda fix: (fix[0], fix[2]))
    return all(
        x[2] == y[2] or abs(x[1] - y[1]) <= max(abs(x[0] - y[0]), 1)
        for x, y in itertools.pairwise(in_order)
    )


def stories_of(parts, seen, firsts, exchanged, gaps) -> list[list[tuple[int, list]]]:
    """The stories of each of two releases, and with how many of the other one each agrees."""
    one, other = parts
    n = len(one)
    link = [
        [
            linked(counting(one, a, firsts[0], exchanged, True),
                   counting(other, b, firsts[1], exchanged, False))
            for b in range(n)
        ]
        for a in range(n)
    ]  # fmt: skip
    stories = [
        [s for start in itertools.permutations(range(n))
         for s in goes_on(places, start, exchanged) if fits(places, s, part, gaps)]
        for places, part in zip(parts, seen, strict=True)
    ]  # fmt: skip
    ends = Counter(story[-1] for story in stories[0])
    begins = Counter(story[0] for story in stories[1])
    before = dict.fromkeys(ends, 0)
    after = dict.fromkeys(begins, 0)
    for end, begin in itertools.product(ends, begins):
        if all(link[end.index(u)][begin.index(u)] for u in range(n)):
            before[end] += begins[begin]
            after[begin] += ends[end]
    return [
        [(before[story[-1]], story) for story in stories[0] if before[story[-1]]],
        [(after[story[0]], story) for story in stories[1] if after[story[0]]],
    ]


def truth(one, other, seen, firsts, exchanged, gaps) -> list[dict]:
    """Tracks of each known user at each step of both releases, from all stories; and of each."""
    users = {user for part in seen for user, _, _ in part}
    found: list[dict] = [{}, {}]
    for tracks, stories in zip(
        found, stories_of((one, other), seen, firsts, exchanged, gaps), strict=True
    ):
        for _, story in stories:
            for step, user in itertools.product(range(1, len(story)), users):
                tracks.setdefault((user, step), set()).add(story[step].index(user))
    return found


@st.composite
def worlds(draw: st.DrawFn):
    """Three people, two releases with their tracks in some order, and true sightings."""
    n, firsts = 3, (1, draw(st.integers(1, 4)))
    parts, seen = [], []
    for _ in range(2):
        steps = draw(st.integers(1, 2))
        place = st.one_of(st.integers(0, 3), st.integers(0, 3), st.none())
        places = [[draw(place) for _ in range(steps)] for _ in range(n)]
        order = draw(st.permutations(range(n)))  # track of each person
        mine = [
            (user, step, there)
            for user in range(n)
            for step in range(1, steps + 1)
            if (there := places[order[user]][step - 1]) is not None and draw(st.booleans())
        ]
        parts.append(places)
        seen.append(mine)
    return parts, seen, firsts


def assert_not_more(answer, found: list[dict], firsts) -> None:
    """No more candidates are proven than tracks are found."""
    for number, first in enumerate(firsts):
        for row in answer.intervals[number].to_dict(orient="records"):
            for time in range(row["from_time"], row["to_time"] + 1):
                assert row["lower"] <= len(found[number][row["user_id"], time - first + 1])


def audited(*asked, **options):
    """The answer; beliefs, which are not looked at, are of few draws."""
    with budgets(track_beliefs, sweeps=(24, 24)):
        return audit_together(*asked, **options)


@given(
    world=worlds(),
    exchanged=st.booleans(),
    k=st.integers(2, 3),
    gaps=st.sampled_from([None, Gaps.ANYWHERE]),
)
@settings(max_examples=80, deadline=None)
def test_tracks_of_known_users_are_those_of_all_stories(
    world, exchanged: bool, k: int, gaps: Gaps | None
) -> None:
    (one, other), seen, firsts = world
    found = truth(one, other, seen, firsts, exchanged, gaps)
    releases = [release(one, seen[0], firsts[0]), release(other, seen[1], firsts[1])]
    if not any(seen):
        with pytest.raises(InputError, match=r"no known users|cannot be of the same"):
            audited(releases, k, exchanged=exchanged, gaps=gaps)
        return
    if not found[0]:
        wider = truth(one, other, seen, firsts, exchanged, Gaps.ANYWHERE)
        if gaps is not None or not wider[0]:
            with pytest.raises(InputError):
                audited(releases, k, exchanged=exchanged, gaps=gaps)
            return
        found = wider  # what the strictest reading contradicts is read more widely: not more so
        answer = audited(releases, k, exchanged=exchanged, gaps=gaps)
        assert_not_more(answer, found, firsts)
        return
    answer = audited(releases, k, exchanged=exchanged, gaps=gaps)
    for number, (places, first) in enumerate(zip((one, other), firsts, strict=True)):
        for row in answer.intervals[number].to_dict(orient="records"):
            for time in range(row["from_time"], row["to_time"] + 1):
                tracks = found[number][row["user_id"], time - first + 1]
                assert (row["verdict"] == "safe") == (len(tracks) >= k)
                assert row["lower"] <= len(tracks) <= row["upper"]
        total = answer.intervals[number]
        length = (total["to_time"] - total["from_time"] + 1).sum()
        assert length == len(places[0]) * len(answer.users[number])
        alone = answer.alone[number]
        if alone is not None:
            mine = alone.users.set_index("user_id")["safe_share"]
            both = answer.users[number].set_index("user_id")["safe_share"]
            assert (both.reindex(mine.index) <= mine + 1e-9).all()


def test_a_second_release_takes_protection_in_the_first() -> None:
    """One of three was elsewhere at 8:30, and so she was in the other release.

    At step 2 x is at E, and y and z are at F. In the second release p is at E then, q and r at F.
    Somebody was seen where x and y were, and where q and r were: she can only be y.
    """
    e, f = 0, 9
    first = release([[4, e], [4, f], [5, f]], [(1, 1, 4)], 1)
    second = release([[e, 7], [f, 8], [f, 8]], [(1, 2, 8)], 2)
    answer = audit_together([first, second], 2, exchanged=False)
    assert [one.users["lower"].tolist() for one in answer.alone] == [[2], [2]]
    assert [users["lower"].tolist() for users in answer.users] == [[1], [2]]
    assert [users["verdict"].tolist() for users in answer.users] == [["unsafe"], ["safe"]]
    assert answer.losers.to_dict(orient="records") == [
        {"release": 1, "user_id": 1, "alone": 1.0, "together": 0.0, "lower_alone": 2, "lower": 1}
    ]
    free = audit_together(
        [release([[4, e], [4, f], [5, f]], [(1, 1, 4)], 1, None),
         release([[e, 7], [f, 8], [f, 8]], [(1, 2, 8)], 2, None)],
        2, exchanged=False,
    )  # fmt: skip
    assert [users["lower"].tolist() for users in free.users] == [[2], [2]]


def test_not_to_be_in_a_release_is_no_candidate_in_it() -> None:
    """Two of three were at 9 and may be in the second release, which has one track, or not."""
    first = release([[9], [9], [0]], [(1, 1, 9)], 1)
    second = release([[9]], [], 2)
    answer = audit_together([first, second], 2, exchanged=False)
    assert answer.users[0]["lower"].tolist() == [2]
    assert answer.users[1]["lower"].tolist() == [1]
    assert answer.users[1]["verdict"].tolist() == ["unsafe"]


def test_releases_that_cannot_be_of_the_same_people_are_refused() -> None:
    with pytest.raises(InputError, match="releases 1 and 2 cannot be of the same people"):
        audit_together([release([[0], [0]], [(1, 1, 0)], 1), release([[9], [0]], [], 2)], 2)
    with pytest.raises(InputError, match="two releases or more"):
        audit_together([release([[0], [0]], [(1, 1, 0)], 1)], 2)


def named_by_stories(places, seen, firsts, exchanged: bool, n_known: int) -> list[float] | None:
    """For each release, the mean belief in the likeliest track, over all stories alike."""
    means = []
    for part, stories in zip(
        places, stories_of(places, seen, firsts, exchanged, None), strict=True
    ):
        if not stories:
            return None
        count = np.zeros((n_known, len(part[0]), len(part)))
        for often, story in stories:
            for user, step in itertools.product(range(n_known), range(1, len(story))):
                count[user, step - 1, story[step].index(user)] += often
        total = sum(often for often, _ in stories)
        means.append(float((count / total).max(axis=2).mean()))
    return means


@st.composite
def complete_worlds(draw: st.DrawFn):
    """As worlds, without gaps; one person is seen now and then."""
    parts, _, firsts = draw(worlds())
    parts = [[[0 if one is None else one for one in track] for track in part] for part in parts]
    seen = []
    for part in parts:
        track = draw(st.integers(0, 2))
        steps = draw(st.sets(st.integers(1, len(part[0]))))
        seen.append([(0, step, part[track][step - 1]) for step in sorted(steps)])
    return parts, seen, firsts


@given(world=complete_worlds(), exchanged=st.booleans())
@settings(max_examples=80, deadline=None)
def test_a_follower_of_one_person_through_releases_expects_what_all_stories_say(
    world, exchanged: bool
) -> None:
    parts, seen, firsts = world
    expected = named_by_stories(parts, seen, firsts, exchanged, 1)
    assume(any(seen) and expected is not None)
    releases = [release(*one) for one in zip(parts, seen, firsts, strict=True)]
    answer = audit_together(releases, 2, exchanged=exchanged)
    assert [one.together for one in answer.named] == pytest.approx(expected)
    most = max(one.most for one in answer.named)
    assert answer.document(2).sentence.startswith("A follower who bets names the right track in r")
    assert f"for {share(most)} of the time" in answer.document(2).sentence


def test_people_are_followed_through_releases_together_by_drawing_their_paths() -> None:
    """Any way is possible between the releases; two of three meet in the first one."""
    parts = [[[4, 1, 4], [4, 2, 4], [5, 2, 5]], [[7, 7], [8, 7], [8, 9]]]
    seen = [[(0, 1, 4), (1, 1, 4), (1, 3, 5)], [(0, 2, 7), (1, 1, 8)]]
    n_known = 2
    count = 0
    means = []
    for places, part in zip(parts, seen, strict=True):
        stories = [
            s
            for start in itertools.permutations(range(3))
            for s in goes_on(places, start, True)
            if fits(places, s, part, None)
        ]
        belief = np.zeros((n_known, len(places[0]), 3))
        for story in stories:
            for user, step in itertools.product(range(n_known), range(1, len(story))):
                belief[user, step - 1, story[step].index(user)] += 1 / len(stories)
        means.append(belief.max(axis=2).mean())
        count += len(stories)
    assert count
    answer = audit_together(
        [
            release(one, two, first, None)
            for one, two, first in zip(parts, seen, (1, 9), strict=True)
        ],
        2,
    )
    assert answer.beliefs.together
    assert [one.together for one in answer.named] == pytest.approx(means, abs=0.06)
    assert [one.alone for one in answer.named] == pytest.approx(means, abs=0.06)


def test_a_follower_names_tracks_of_those_who_are_in_a_release() -> None:
    """Who is in the second release at all is unknown; whoever is, is on its only track."""
    first = release([[9], [9], [0]], [(1, 1, 9)], 1)
    second = release([[9]], [], 2)
    answer = audit_together([first, second], 2, exchanged=False)
    assert [tuple(one) for one in answer.named] == [(0.5, pytest.approx(0.5)), (None, 1.0)]
    found = answer.to_dict({})
    assert found["releases"][1]["named_right"] == {"alone": None, "together": 1.0}
    assert "in r for 100% of the time" in found["follower"]["sentence"]
    assert answer.document(2).parts[0].rows[1] == ("r", None, 1.0)
