"""Time is what is published of a person: shares and rules, counted step by step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.breaking.breaking import breaking
from mixsafe.extract.adversaries import knowledge
from mixsafe.extract.zones import mix_zones
from mixsafe.model.course import SolveLimits
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.places import TrackPlaces
from mixsafe.model.question.problem import Problem, fingerprint
from mixsafe.model.question.requirement import Requirements, Rule
from mixsafe.verify.privacy.over_time import Levels, shares_over_time, timeline
from mixsafe.verify.verification import verify
from mixsafe.verify.verification_document import decided
from mixsafe.weigh.weighing import weigh
from tests.support import oracles
from tests.support.extraction_worlds import positions_of

ONE_WORKER = SolveLimits(workers=1)
STEPS = 7

worlds = st.dictionaries(
    st.tuples(st.integers(0, 3), st.integers(1, STEPS)),
    st.integers(0, 2),
    min_size=3,
    max_size=16,
)
"""{(user, step): place} of up to four people, with gaps."""
rules = st.sampled_from(["every", "some", "share:0.5", "share:0.9", "share:1"])


def posed(world: dict[tuple[int, int], int], adversary: str = "endpoints") -> Problem:
    where = positions_of(world, TimeAxis(STEPS), 4)
    zones = mix_zones(where)
    seen = knowledge(adversary, zones, where)
    return Problem("gaps", zones, seen, track_places=TrackPlaces.of(where))


def segment_is_seen(asked: Problem, user: int, step: int) -> bool:
    met = {t for t, members in oracles.zones_of(asked) if user in members}
    seen = [t for who, t in oracles.knowledge_of(asked) if who == user]
    return any(not met & set(range(min(t, step) + 1, max(t, step) + 1)) for t in seen)


def passes(rule: str, safe: int, published: int) -> bool:
    if rule == "every":
        return safe == published
    if rule == "some":
        return safe > 0
    return safe >= float(rule.removeprefix("share:")) * published


@settings(max_examples=60, deadline=None)
@given(
    world=worlds,
    k=st.integers(2, 3),
    rule=rules,
    adversary=st.sampled_from(["none", "endpoints", "home"]),
)
def test_shares_and_rules_count_published_steps_one_by_one(
    world: dict[tuple[int, int], int], k: int, rule: str, adversary: str
) -> None:
    asked = posed(world, adversary)
    domains = oracles.domains_of(asked)
    answer = verify(asked, k=k, rule=Rule.parse(rule), limits=ONE_WORKER)
    users = answer.users.set_index("user_id")
    total = safe_steps = 0
    assert sorted(users.index) == sorted({user for user, _ in world})
    for user, row in users.iterrows():
        published = [step for who, step in world if who == user]
        safe = [step for step in published if len(domains[user, step]) >= k]
        known = [
            step
            for step in published
            if step not in safe and segment_is_seen(asked, int(user), step)
        ]
        assert row["weight"] == len(published)
        assert row["without_data"] == STEPS - len(published)
        assert row["safe_share"] == pytest.approx(len(safe) / len(published))
        assert row["known_share"] == pytest.approx(len(known) / len(published))
        assert (row["verdict"] == "safe") == passes(rule, len(safe), len(published))
        total, safe_steps = total + len(published), safe_steps + len(safe)
    assert answer.summary["share_of_time_safe"] == pytest.approx(safe_steps / total, abs=1e-6)
    without = 1 - total / (STEPS * len(users))
    assert answer.summary["share_of_time_without_data"] == pytest.approx(without, abs=1e-6)
    assert answer.headline.to_dict()["share_of_time_without_data"] == pytest.approx(
        without, abs=1e-6
    )


@settings(max_examples=40, deadline=None)
@given(world=worlds, k=st.integers(2, 3))
def test_pictures_are_shares_of_those_with_data(world: dict[tuple[int, int], int], k: int) -> None:
    asked = posed(world)
    domains = oracles.domains_of(asked)
    answer = verify(asked, k=k, keep_candidates=True, limits=ONE_WORKER)
    shown = decided(answer)
    levels = Levels.of(shown)
    over = shares_over_time(shown, levels)
    for step in range(1, STEPS + 1):
        there = [user for user, at in world if at == step]
        safe = sum(len(domains[user, step]) >= k for user in there)
        assert sum(level[step - 1] for level in over["share"]) == pytest.approx(
            1.0 if there else 0.0, abs=1e-3
        )
        if there:
            assert over["share"][-1][step - 1] == pytest.approx(safe / len(there), abs=1e-4)
    right = sum(len(domains[pair]) >= k for pair in world)
    safe_share = answer.headline.safe_share
    assert safe_share == pytest.approx(right / len(world), abs=1e-6)
    people = np.array(sorted({user for user, _ in world}))
    line = timeline(shown, levels, people)["level"]
    gaps = [[(user, step) not in world for step in range(1, STEPS + 1)] for user in people.tolist()]
    assert (np.array(line) == -1).tolist() == gaps


@settings(max_examples=30, deadline=None)
@given(world=worlds)
def test_shares_of_time_at_one_place_are_of_published_time(
    world: dict[tuple[int, int], int],
) -> None:
    asked = posed(world)
    domains = oracles.domains_of(asked)
    answer = verify(asked, k=2, distinct_places=1, exhaustive=True, limits=ONE_WORKER)
    one = 0
    for user, step in world:
        tracks = domains[user, step]
        hidden = sum((track, step) not in world for track in tracks)
        shown = {world[track, step] for track in tracks if (track, step) in world}
        one += len(shown) + hidden == 1
    found = answer.summary["places"]["one_place"]["share_of_time"]
    assert found == pytest.approx(one / len(world), abs=1e-6)


@settings(max_examples=20, deadline=None)
@given(world=worlds)
def test_a_bet_is_right_for_a_share_of_published_time(
    world: dict[tuple[int, int], int],
) -> None:
    asked = posed(world, "none")
    answer = weigh(asked, limits=ONE_WORKER)
    right, places = 0.0, 0.0
    chances = oracles.posterior(asked, [1.0] * len(asked.zones), [1.0] * 4)
    for user, step in world:
        mine = chances[user, step]
        right += max(mine)
        at: dict[int, float] = {}
        for token, chance in enumerate(mine):
            if (token, step) in world:
                at[world[token, step]] = at.get(world[token, step], 0) + chance
        places += max(at.values(), default=0)
    if answer.summary["share_not_settled"] == 0:
        assert answer.summary["follower_right"] == pytest.approx(right / len(world), abs=1e-5)
        found = answer.summary["places"]["share_right"]
        assert found == pytest.approx(places / len(world), abs=1e-5)


def gap_world() -> dict[tuple[int, int], int]:
    """0 and 1 exchange in step 2; 0 is seen in step 1 and 2 only, 1 and 2 in all steps."""
    world = {(user, step): 10 * user for user in (1, 2) for step in range(1, STEPS + 1)}
    return world | {(0, 1): 0, (0, 2): 10}


def test_who_is_safe_at_unpublished_times_only_is_not_safe_at_some_time() -> None:
    """1 and 2 have two candidates from step 3 on: published there, and then published before."""
    world = {(0, 1): 0, (1, 1): 5, (1, 2): 7, (1, 3): 7, (2, 3): 7}
    asked = posed(world | {(0, 3): 9}, "none")
    assert verify(asked, k=2, limits=ONE_WORKER).users["safe_share"].tolist() == [0, 1 / 3, 1]
    late = replace(
        asked.zones, published=positions_of({(2, 2): 1, (1, 1): 1}, TimeAxis(STEPS), 4).published
    )
    answer = verify(replace(asked, zones=late), k=2, limits=ONE_WORKER)
    assert answer.users["verdict"].tolist() == ["unsafe", "unsafe"]


def test_a_requirement_counts_also_where_nothing_is_published() -> None:
    asked = posed(gap_world(), "none")
    row, time, k = (np.array(column, np.int32) for column in ([0, 0], [1, 5], [2, 2]))
    answer = verify(replace(asked, requirements=Requirements(row, time, k)), limits=ONE_WORKER)
    assert answer.results is not None
    assert answer.results["verdict"].tolist() == ["unsafe", "safe"]
    assert answer.summary["users"] == {"safe": 0, "unsafe": 1, "undecided": 0}
    assert answer.summary["share_of_time_safe"] == 0.5
    assert answer.summary["share_of_time_without_data"] == 0.5


def test_of_zones_alone_all_steps_count() -> None:
    asked = posed(gap_world())
    zones = replace(asked.zones, published=None)
    answer = verify(replace(asked, zones=zones), k=2, limits=ONE_WORKER)
    assert answer.users["weight"].tolist() == [STEPS] * 3
    assert answer.summary["share_of_time_without_data"] == 0


def test_a_fix_outside_of_all_places_is_published() -> None:
    where = positions_of(gap_world(), TimeAxis(STEPS), 3)
    zones = mix_zones(where.only(where.place != 20))
    assert zones.published is not None
    assert zones.published.counts.tolist() == [2, STEPS, STEPS]
    assert not len(zones.absent)


def test_data_without_gaps_are_told_by_nothing() -> None:
    full = {(user, step): 0 for user in range(4) for step in range(1, STEPS + 1)}
    assert posed(full).zones.published is None


def test_a_run_is_not_resumed_with_other_gaps() -> None:
    asked = posed(gap_world())
    fewer = positions_of({**gap_world(), (0, 3): 99}, TimeAxis(STEPS), 4).published
    other = replace(asked, zones=replace(asked.zones, published=fewer))
    assert fingerprint(asked) != fingerprint(other)
    assert fingerprint(other) != fingerprint(
        replace(asked, zones=replace(asked.zones, published=None))
    )


def test_breaking_a_share_counts_published_steps() -> None:
    """1 loses a share of the published time: each of her wires weighs what is published on it."""
    asked = posed(gap_world(), "none")
    numbers = breaking(asked, k=2, at_most=1, target="share:0.5", limits=ONE_WORKER)
    weights = {one.user: int(one.weight.sum()) for one in numbers.targets}
    assert weights == {0: 2, 1: STEPS, 2: STEPS}
