"""Exchanges at mix zones: uniform, among members only, and nothing that gives them away."""

import math
import secrets
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mixsafe.errors import InputError
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.release import Cells, IdTable
from mixsafe.release import exchange
from mixsafe.release.exchange import exchange_at_mix_zones, shuffle_pseudonyms, visible_zones
from tests.support.uniformity import CERTAIN, LIKELY, likeness, uniformity

DRAWS = 6_000

Keys = Callable[[int, np.random.Generator | None], np.ndarray]


@st.composite
def releases(draw):
    users, steps = draw(st.integers(2, 7)), draw(st.integers(1, 6))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return Cells.of_regions(random.integers(4, size=(users, steps)), 3, first_time=41)


def all_pairs(steps, size=2):
    """As many users as ``size``, together in one region all the time."""
    return Cells.of_regions(np.zeros((size, steps), np.int32), 1)


@given(releases())
@settings(max_examples=80, deadline=None)
def test_visible_zones_are_users_who_show_the_same_in_one_step(cells):
    zones = visible_zones(cells)
    found = {
        (int(zones.time[z]), tuple(zones.members[zones.ptr[z] : zones.ptr[z + 1]].tolist()))
        for z in range(len(zones))
    }
    expected = set()
    for step, column in enumerate(cells.code.T, 1):
        for shown in range(cells.n_regions):
            members = tuple(np.flatnonzero(column == shown).tolist())
            if len(members) > 1:
                expected.add((step, members))
    assert found == expected


@given(releases(), st.integers(0, 2**32 - 1))
@settings(max_examples=80, deadline=None)
def test_pseudonyms_change_hands_only_inside_zones_and_none_is_lost(cells, seed):
    pseudonym = exchange_at_mix_zones(cells, visible_zones(cells), np.random.default_rng(seed))
    everyone = np.arange(cells.n_rows)[:, None]
    assert np.array_equal(np.sort(pseudonym, axis=0), everyone + 0 * pseudonym)
    for step in range(1, cells.n_steps):
        before, after = pseudonym[:, step - 1], pseudonym[:, step]
        for user in range(cells.n_rows):
            giver = int(np.flatnonzero(before == after[user])[0])
            shown = cells.code[[user, giver], step]
            assert giver == user or (shown[0] == shown[1] != cells.deleted)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_every_permutation_of_a_zone_is_equally_likely_none_included(size):
    cells = all_pairs(12_000, size)
    pseudonym = exchange_at_mix_zones(cells, visible_zones(cells), np.random.default_rng(8))
    # Which member's pseudonym each member gets, step by step.
    owner_before = np.argsort(pseudonym[:, :-1], axis=0)
    moves = np.take_along_axis(owner_before, pseudonym[:, 1:], axis=0)
    code = moves.T @ size ** np.arange(size)
    orders = [int(np.dot(order, size ** np.arange(size))) for order in permutations(range(size))]
    seen = np.array([(code == order).sum() for order in orders])
    assert seen.sum() == 11_999
    assert len(orders) == math.factorial(size)
    assert stats.chisquare(seen).pvalue > 1e-3


def meeting_once(*zones):
    """Users who are apart, then together in groups, then apart again: cells of three steps."""
    region, n_users = [], sum(zones)
    for number, size in enumerate(zones):
        region += [n_users + number] * size
    alone = np.arange(n_users)
    return Cells.of_regions(np.stack([alone, region, alone], axis=1), n_users + len(zones))


def gave(pseudonym, members):
    """Place among the members of whoever had before the zone what each has after it."""
    before, after = (pseudonym[members, step].tolist() for step in (0, 1))
    return tuple(before.index(one) for one in after)


def exchanges(*zones, draws, random=np.random.default_rng):
    """What each zone did in each of many releases: a permutation for each zone."""
    cells, ends = meeting_once(*zones), np.cumsum(zones)
    met = visible_zones(cells)
    groups = [np.arange(end - size, end) for size, end in zip(zones, ends, strict=True)]
    for seed in range(draws):
        pseudonym = exchange_at_mix_zones(cells, met, random(seed))
        assert np.array_equal(pseudonym[:, 1], pseudonym[:, 2])
        yield tuple(gave(pseudonym, members) for members in groups)


def every_exchange(*zones):
    """All that zones of these sizes may do together."""
    return list(product(*(permutations(range(size)) for size in zones)))


@pytest.mark.parametrize("size", [3, 4])
def test_a_zone_of_each_release_takes_every_permutation_equally_often(size: int) -> None:
    drawn = exchanges(size, draws=DRAWS)
    assert uniformity(drawn, every_exchange(size)) > LIKELY


@pytest.mark.parametrize("size", [3, 4])
def test_it_does_with_the_systems_chance_too(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "token_bytes", np.random.default_rng(5).bytes)
    drawn = exchanges(size, draws=DRAWS, random=lambda _: None)
    assert uniformity(drawn, every_exchange(size)) > LIKELY


def test_zones_of_one_step_are_independent_of_each_other() -> None:
    drawn = exchanges(3, 2, 3, draws=DRAWS)
    assert uniformity(drawn, every_exchange(3, 2, 3)) > LIKELY


def test_what_a_zone_does_is_independent_of_the_pseudonyms_at_the_start_and_of_later_zones() -> (
    None
):
    """Three users meet, and then two of them: start, first zone and second one, all at once."""
    cells = Cells.of_regions(np.array([[0, 3, 3], [1, 3, 3], [2, 3, 0]]), 4)
    zones, drawn = visible_zones(cells), []
    for seed in range(DRAWS):
        pseudonym = exchange_at_mix_zones(cells, zones, np.random.default_rng(seed))
        later = pseudonym[0, 1] != pseudonym[0, 2]
        start = tuple(pseudonym[:, 0].tolist())
        drawn.append((start, gave(pseudonym, np.arange(3)), bool(later)))
    starts = list(permutations(range(3)))
    assert uniformity(drawn, list(product(starts, starts, (False, True)))) > LIKELY


def few_keys(count: int, random: np.random.Generator | None) -> np.ndarray:
    """Keys of two bits: many are equal, and users with equal ones stay in their order."""
    assert random is not None
    return random.integers(0, 4, count).astype(np.uint64)


def neighbours_swapped(count: int, random: np.random.Generator | None) -> np.ndarray:
    """A shuffle that many have written: each place is swapped with any other."""
    assert random is not None
    keys = np.arange(count, dtype=np.uint64)
    for place, other in enumerate(random.integers(0, count, count)):
        keys[[place, other]] = keys[[other, place]]
    return keys


def never_at_home(count: int, random: np.random.Generator | None) -> np.ndarray:
    """Everybody is moved on by one at least, as by a rule that always exchanges."""
    assert random is not None
    return np.roll(np.arange(count, dtype=np.uint64), random.integers(1, max(count, 2)))


def the_same_twice(count: int, random: np.random.Generator | None) -> np.ndarray:
    """The second half of the users have the keys of the first half: each zone alone is fair."""
    assert random is not None
    keys = random.integers(0, 2**64, -(-count // 2), dtype=np.uint64)
    return np.concatenate([keys, keys])[:count]


@pytest.mark.parametrize(
    ("keys", "zones"),
    [
        (few_keys, (3,)),
        (few_keys, (4,)),
        (neighbours_swapped, (3,)),
        (neighbours_swapped, (4,)),
        (never_at_home, (3,)),
        (the_same_twice, (3, 3)),
    ],
)
def test_an_unfair_shuffle_would_be_noticed(
    keys: Keys, zones: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    every = every_exchange(*zones)
    monkeypatch.setattr(exchange, "random_keys", keys)
    assert uniformity(exchanges(*zones, draws=DRAWS), every) < CERTAIN


def published(cells: Cells, who: list[int], draws: int) -> Iterator[bytes]:
    """What is published in many releases, where the user with the number i has the cells who[i]."""
    own = replace(cells, code=cells.code[who])
    zones = visible_zones(own)
    for seed in range(draws):
        pseudonym = exchange_at_mix_zones(own, zones, np.random.default_rng(seed))
        yield IdTable.of_pseudonyms(pseudonym).publish(own).code.tobytes()


WALKS = Cells.of_regions(np.array([[0, 3, 0, 1], [1, 3, 1, 1], [2, 3, 2, 2]]), 4)
"""Three users meet once; two of them meet again."""


@pytest.mark.parametrize("who", [[1, 0, 2], [2, 0, 1], [2, 1, 0]])
def test_what_is_published_is_equally_likely_whoever_is_who(who: list[int]) -> None:
    drawn = (published(WALKS, one, 3000) for one in ([0, 1, 2], who))
    assert likeness(*drawn) > LIKELY


def test_pseudonyms_in_the_order_of_the_users_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_order = partial(np.arange, dtype=np.int32)
    monkeypatch.setattr(exchange, "shuffle_pseudonyms", lambda n, _: in_order(n)[:, None])
    drawn = (published(WALKS, one, 3000) for one in ([0, 1, 2], [2, 0, 1]))
    assert likeness(*drawn) < CERTAIN


def test_successive_exchanges_are_independent():
    cells = all_pairs(8001)
    pseudonym = exchange_at_mix_zones(cells, visible_zones(cells), np.random.default_rng(9))
    swapped = pseudonym[0, 1:] != pseudonym[0, :-1]
    both = np.bincount(2 * swapped[:-1] + swapped[1:], minlength=4)
    assert stats.chisquare(both).pvalue > 1e-3


def test_a_pair_that_meets_once_is_not_always_swapped():
    """A rule that always swaps is undone by whoever knows it."""
    cells = Cells.of_regions(np.array([[0, 2, 0], [1, 2, 1]]), 3)
    zones = visible_zones(cells)
    swapped = 0
    for seed in range(400):
        pseudonym = exchange_at_mix_zones(cells, zones, np.random.default_rng(seed))
        swapped += pseudonym[0, 0] != pseudonym[0, 2]
    assert 150 < swapped < 250


def test_the_pseudonyms_at_the_start_are_uniform():
    cells = Cells.of_regions(np.array([[0], [1], [2]]), 3)
    zones = visible_zones(cells)
    starts = [
        exchange_at_mix_zones(cells, zones, np.random.default_rng(seed))[:, 0] @ [9, 3, 1]
        for seed in range(3000)
    ]
    assert stats.chisquare(np.unique(starts, return_counts=True)[1]).pvalue > 1e-3
    assert len(set(starts)) == 6


def test_a_seed_repeats_a_release_and_none_does_not():
    cells = all_pairs(500, 5)
    zones = visible_zones(cells)
    one, two = (exchange_at_mix_zones(cells, zones, np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(one, two)
    assert not np.array_equal(
        exchange_at_mix_zones(cells, zones), exchange_at_mix_zones(cells, zones)
    )


def test_an_exchange_without_zones_is_a_shuffle():
    cells = Cells.of_regions(np.array([[0, 1], [1, 0], [2, 2]]), 3)
    pseudonym = exchange_at_mix_zones(cells, visible_zones(cells), np.random.default_rng(3))
    assert np.array_equal(pseudonym[:, 0], pseudonym[:, 1])
    shuffled = shuffle_pseudonyms(3, np.random.default_rng(3))
    assert shuffled.shape == (3, 1)
    assert sorted(shuffled[:, 0].tolist()) == [0, 1, 2]


def test_a_zone_whose_members_show_different_cells_is_refused():
    together = Cells.of_regions(np.array([[0], [0]]), 3, first_time=41)
    apart = Cells.of_regions(np.array([[0], [1]]), 3, first_time=41)
    with pytest.raises(InputError, match="zone at time 41 do not show the same cell"):
        exchange_at_mix_zones(apart, visible_zones(together), np.random.default_rng(0))


def test_a_zone_of_deleted_cells_is_refused():
    together = Cells.of_regions(np.array([[0], [0]]), 3)
    hidden = Cells.of_regions(np.array([[3], [3]]), 3)
    with pytest.raises(InputError, match="do not show the same cell"):
        exchange_at_mix_zones(hidden, visible_zones(together), np.random.default_rng(0))


def test_zones_of_other_users_are_refused():
    cells = all_pairs(3)
    zones: MixZones = visible_zones(all_pairs(3, 4))
    with pytest.raises(InputError, match="4 users and 3 steps do not fit 2 users"):
        exchange_at_mix_zones(cells, zones, np.random.default_rng(0))
