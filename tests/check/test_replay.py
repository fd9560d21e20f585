"""Following assignments: as the definitions say, step by step, and refused where they say no."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from mixsafe.check.replay import Occurrences, follow
from mixsafe.errors import InputError
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.problem import Problem
from tests.support.certificates import Exchange, Witness, witnesses_of
from tests.support.oracles import Pairs, agrees_with, pairs_of, zones_of
from tests.support.random_problems import random_problem
from tests.support.relations import with_pairs, with_random_pairs
from tests.support.strategies import mix_zones, problem

Random = np.random.Generator
History = list[tuple[int, ...]]


def assignment_of(asked: Problem, witness: Witness) -> History | None:
    """The rows' tokens after each step; None: something is not as definitions have it."""
    n, horizon = asked.zones.n_users, asked.zones.axis.steps
    zones = list(zip(zones_of(asked), pairs_of(asked.zones), strict=True))
    times = [exchange.time for exchange in witness]
    if times != sorted(times):
        return None
    on, last, assignment = list(range(n)), [-1] * n, [tuple(range(n))]
    for step in range(1, horizon + 1):
        for time, rows, tokens in witness:
            if time == step:
                zone = [pairs for (t, who), pairs in zones if t == time and {*rows} <= {*who}]
                if not rows or not zone or len({*rows}) < len(rows):
                    return None
                before = [on[row] for row in rows]
                if sorted(before) != sorted(tokens) or any(last[row] == step for row in rows):
                    return None
                moved = {(on.index(token), row) for row, token in zip(rows, tokens, strict=True)}
                if zone[0] is not None and not {(a, b) for a, b in moved if a != b} <= zone[0]:
                    return None
                for row, token in zip(rows, tokens, strict=True):
                    on[row], last[row] = token, step
        assignment.append(tuple(on))
    outside = any(not 1 <= time <= horizon for time in times)
    return None if outside or not agrees_with(asked, tuple(assignment)) else assignment


def drawn(asked: Problem, random: Random) -> Witness:
    """Exchanges of two groups in each zone, some of which mostly give back what others took."""
    on, made = np.arange(asked.zones.n_users), []
    kept = random.choice([0.0, 0.3, 0.9])
    for time, members in zones_of(asked):
        cut = int(random.integers(len(members) + 1))
        mixed = random.permutation(members)
        for rows in (mixed[:cut], mixed[cut:]):
            if len(rows) and random.integers(3):
                there = on[rows]
                home = np.isin(rows, there) & (random.random(len(rows)) < kept)
                after = np.where(home, rows, -1)
                after[~home] = random.permutation(np.setdiff1d(there, rows[home]))
                on[rows] = after
                made.append(Exchange(time, tuple(rows.tolist()), tuple(after.tolist())))
    return tuple(made)


def spoilt(witness: Witness, random: Random) -> Witness:
    """One exchange is left out, doubled, moved, or has another row or token."""
    if not witness:
        return witness
    made, at = list(witness), int(random.integers(len(witness)))
    one, what = made[at], random.integers(6)
    place, number = int(random.integers(len(one.rows))), int(random.integers(-1, 7))
    if what == 0:
        del made[at]
    elif what == 1:
        made.insert(at, one)
    elif what == 2:
        made[at] = one._replace(time=one.time + int(random.choice([-1, 1])))
    elif what == 3:
        made.append(made.pop(at))
    else:
        name = ("rows", "tokens")[what - 4]
        values = list(getattr(one, name))
        values[place] = number
        made[at] = one._replace(**{name: tuple(values)})
    return tuple(made)


def test_a_assignment_is_accepted_if_and_only_if_it_is_one_and_agrees() -> None:
    random, counts = np.random.default_rng(21), [0, 0]
    for number in range(400):
        asked = random_problem(random, max_zones=8, max_assignments=10**9)
        asked = with_random_pairs(asked, random) if number % 2 else asked
        places = Occurrences.of(asked)
        for _ in range(3):
            witness = drawn(asked, random)
            witness = spoilt(witness, random) if random.integers(2) else witness
            assignment = assignment_of(asked, witness)
            true = assignment is not None
            counts[true] += any(rows != tokens for _, rows, tokens in witness)
            try:
                follow(witnesses_of([witness]), 0, places)
                accepted = True
            except InputError:
                accepted = False
            assert accepted == true, witness
    assert min(counts) > 100


def accepted(asked: Problem, random: Random, number: int) -> list[tuple[Witness, History]]:
    told = [drawn(asked, random) for _ in range(number)]
    pairs = [(one, assignment_of(asked, one)) for one in told]
    return [(one, assignment) for one, assignment in pairs if assignment is not None]


def test_tokens_are_where_the_definitions_have_them_and_the_other_way_round() -> None:
    random, moved = np.random.default_rng(22), 0
    for _ in range(60):
        asked = random_problem(random, max_zones=8, max_assignments=10**9)
        n, steps = asked.zones.n_users, asked.zones.axis.steps
        found = accepted(asked, random, 4)
        tracks = follow(witnesses_of([one for one, _ in found]), 0, Occurrences.of(asked))
        by_token = tracks.by_token()
        witness, step, row = np.indices((len(found), steps + 1, n)).reshape(3, -1)
        told = [assignment for _, assignment in found]
        true = np.array(told, np.int32).reshape(-1)
        moved += np.count_nonzero(true != row)
        assert np.array_equal(tracks.tokens(witness, as_row(row), as_row(step)), true)
        assert np.array_equal(by_token.tokens(witness, as_row(true), as_row(step)), row)
        for one in (tracks, by_token):
            assert np.all(np.diff(one.key) > 0)
            assert np.array_equal(one.first, [True, *moves_on(one)][: len(one.first)])
    assert moved > 300


def moves_on(tracks: Sequence[object]) -> list[bool]:
    """Whether each entry but the first one is of another witness or row than the one before."""
    line = np.asarray(tracks[0]) // tracks[-1].width  # type: ignore[attr-defined]
    return list(line[1:] != line[:-1])


def as_row(numbers: np.ndarray) -> np.ndarray:
    return numbers.astype(np.int32)


def test_tokens_that_do_not_exist_in_one_exchange_do_not_make_up_for_those_in_another() -> None:
    """Of 4 users token 6 would be token 2 of the next exchange, and -3 token 1 of the last one."""
    asked = problem(4, 1, [(1, [0, 1]), (1, [2, 3])])
    wrong = (Exchange(1, (0, 1), (0, 6)), Exchange(1, (2, 3), (3, -3)))
    with pytest.raises(InputError, match="does not permute the tokens"):
        follow(witnesses_of([wrong]), 0, Occurrences.of(asked))


RING: Pairs = {(0, 1), (1, 2), (2, 0)}
AROUND = Problem(
    "ring",
    with_pairs(mix_zones(3, 4, [(1, [0, 1, 2]), (3, [0, 1, 2])]), [RING, None]),
    Knowledge.from_pairs([(0, 0), (0, 4)]),
)


def test_an_exchange_along_allowed_pairs_passes() -> None:
    right = witnesses_of([(Exchange(1, (1, 2, 0), (0, 1, 2)), Exchange(3, (0, 1, 2), (0, 1, 2)))])
    follow(right, 0, Occurrences.of(AROUND))


@pytest.mark.parametrize(
    "wrong",
    [
        Exchange(1, (0, 1, 2), (1, 2, 0)),  # the ring in the other direction
        Exchange(1, (0, 1), (1, 0)),  # a swap, of which one way is allowed
    ],
    ids=["backward", "swap"],
)
def test_an_exchange_by_a_pair_that_is_not_allowed_is_refused(wrong: Exchange) -> None:
    back = Exchange(3, (0, 1, 2), (0, 1, 2))
    with pytest.raises(InputError, match="by a pair that the zone does not allow"):
        follow(witnesses_of([(wrong, back)]), 0, Occurrences.of(AROUND))


@pytest.mark.parametrize(("number", "fits"), [(4095, True), (4096, False)])
def test_so_many_witnesses_users_and_steps_are_refused_that_no_number_tells_them_apart(
    number: int, fits: bool
) -> None:
    nothing = np.zeros(0, np.int64)
    places = Occurrences(
        1 << 20,
        (1 << 31) - 2,
        nothing,
        nothing.astype(np.int32),
        nothing,
        False,
        mix_zones(2, 1, []),
    )
    pool = witnesses_of([()] * number)
    if fits:
        assert not len(follow(pool, 0, places).key)
    else:
        with pytest.raises(InputError, match="64-bit indices"):
            follow(pool, 0, places)


def test_of_several_witnesses_the_wrong_one_is_named_by_its_number() -> None:
    random, named = np.random.default_rng(23), 0
    for _ in range(80):
        asked = random_problem(random, max_zones=8, max_assignments=10**9)
        good = [one for one, _ in accepted(asked, random, 3)]
        bad = spoilt(drawn(asked, random), random)
        if assignment_of(asked, bad) is None:
            named += 1
            with pytest.raises(InputError, match=f"^witness {7 + len(good)} "):
                follow(witnesses_of([*good, bad]), 7, Occurrences.of(asked))
    assert named > 20
