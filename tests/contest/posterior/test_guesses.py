"""POST, POST-T and GUESS: what they answer, and that more knowledge is no loss.

MATCH names nobody twice, and no other assignment is believed more.
"""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.contest.base.habits import VisitHabits, gains
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import reidentification, trace_inference
from mixsafe.contest.link_attack import LinkIds
from mixsafe.contest.obfuscations import (
    MergeAndHide,
    NoObfuscation,
    PlanarLaplace,
    RandomizedResponse,
)
from mixsafe.contest.posterior.beliefs import ratios_of
from mixsafe.contest.posterior.exchanged import exchanged_belief, piece_weights, user_of_track
from mixsafe.contest.posterior.guesses import (
    STEP,
    HabitTraces,
    MatchedIds,
    PosteriorIds,
    PosteriorTraces,
    assigned,
)
from mixsafe.contest.posterior.shown_cells import Noise
from mixsafe.contest.posterior.whereabouts import LEAST, BelievedUsers, ratios
from mixsafe.contest.posterior.whole_tracks import best_guesses
from mixsafe.contest.pseudonymizers import MIXZONE, PSEUDONYMIZERS, SHUFFLE
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.model.release import Cells
from mixsafe.synthesize.scenarios.town import town

CHANCE = np.random.default_rng(0)


@pytest.fixture(scope="module")
def small_town():
    """Sixty inhabitants: their original traces, and what is known of them."""
    region = town(60, days=4, random=np.random.default_rng(5)).region
    return TraceMatrix(region[:, 40:], 41), Reference(TraceMatrix(region[:, :40]), Rules())


def published(original, method, how):
    cells = method.anonymise(original, Rules(), np.random.RandomState(1))
    table = PSEUDONYMIZERS[how].table(cells, np.random.default_rng(2))
    return table, table.publish(cells)


def surest_by_cells(known, release):
    """The user for whom each cell alone speaks most by habit, without links between cells."""
    habits = known.habits
    surest = ratios(habits.background, release, habits.ratio).argmax(axis=2)
    return surest[known.rules.step_of_day(release.time_ids), release.code]


@pytest.mark.parametrize("how", [SHUFFLE, MIXZONE])
@pytest.mark.parametrize(
    "method",
    [
        NoObfuscation(),
        MergeAndHide(0, 0, 0.8),
        MergeAndHide(1, 1, 0.2),
        RandomizedResponse(0.1),
        PlanarLaplace(0.1, 1),
        PlanarLaplace(4, 1),
    ],
    ids=str,
)
def test_links_never_find_less_than_cells_alone_nor_a_release_less_than_none(
    small_town, method, how
):
    """Beyond noise: whatever the obfuscation, noise that hides everything included."""
    original, known = small_town
    table, release = published(original, method, how)
    exchanged = int(how == MIXZONE)
    linked, alone = (
        reidentification(table, named).value
        for named in (
            PosteriorIds(exchanged).attack(known, release, CHANCE),
            surest_by_cells(known, release),
        )
    )
    assert linked <= alone + 0.03
    told, guessed = (
        trace_inference(original, attacker.attack(known, release, CHANCE), Rules()).value
        for attacker in (PosteriorTraces(exchanged), HabitTraces())
    )
    assert told <= guessed + 0.03


def test_where_nobody_does_anything_new_beliefs_find_no_less_than_links():
    """Reference days that are the released ones: all that a piece shows tells whose it is.

    Over exchanges, and in each town beyond what is luck: nobody can tell tracks of one way apart.
    """
    found = {kind: np.zeros((5, 4), int) for kind in (PosteriorIds, MatchedIds, LinkIds)}
    for seed in range(5):
        region = town(60, days=2, random=np.random.default_rng(1 + seed)).region
        known = Reference(TraceMatrix(region), Rules())
        cells = Cells.of_regions(region, 1024, 41)
        for number in range(4):
            table = PSEUDONYMIZERS[MIXZONE].table(cells, np.random.default_rng(number))
            release = table.publish(cells)
            for kind, counts in found.items():
                named = kind().attack(known, release, CHANCE)
                counts[seed, number] = np.count_nonzero(named == table.user)
    links = found.pop(LinkIds)
    assert all(counts.sum() > links.sum() for counts in found.values())
    best = np.maximum(*(counts.mean(axis=1) for counts in found.values()))
    luck = links.std(axis=1, ddof=1) / np.sqrt(4)
    assert np.all(best >= links.mean(axis=1) - 2 * luck)


def test_pieces_are_weighed_by_what_would_have_found_most(small_town):
    """Between the weights that tell whole tracks apart, and all evidence as it is."""
    _, known = small_town
    tracks, pieces = known.habits.weight, piece_weights(known)
    assert np.all(np.abs(pieces - 1) <= np.abs(tracks - 1) + 1e-6)
    assert np.abs(pieces - tracks).max() > 0.01
    day = Reference(TraceMatrix(known.traces.region[:, :20]), Rules())
    assert np.array_equal(piece_weights(day), day.habits.weight)


def test_the_guess_without_a_release_reads_none(small_town):
    original, known = small_town
    hidden = Cells.of_regions(np.full(original.region.shape, 1024), 1024, 41)
    shown = Cells.of_regions(original.region, 1024, 41)
    guesses = [HabitTraces().attack(known, release, CHANCE) for release in (hidden, shown)]
    assert np.array_equal(*guesses)
    # With nothing shown, beliefs are habits.
    gain = known.people.gain[:, np.tile(np.arange(20), 2)]
    told, usual = (
        np.take_along_axis(gain, one[:, :, None], axis=2)
        for one in (PosteriorTraces(0).attack(known, hidden, CHANCE), guesses[0])
    )
    assert told == pytest.approx(usual, rel=0.02)


def test_without_habits_nobody_finds_more_than_chance():
    """Protects against a leak: uniform traces say nothing of who is who, nor of where anybody is.

    Of 80 users by chance one is found; five or more would be found once in 270 runs.
    """
    random = np.random.default_rng(7)
    rules = Rules()
    known = Reference(TraceMatrix(random.integers(1024, size=(80, 40)).astype(np.int32)), rules)
    original = TraceMatrix(random.integers(1024, size=(80, 40)).astype(np.int32), 41)
    table, release = published(original, NoObfuscation(), SHUFFLE)
    for attacker in (PosteriorIds(0), MatchedIds(0)):
        left = reidentification(table, attacker.attack(known, release, CHANCE)).value
        assert 80 * (1 - left) < 5
    # A release shows where people are, but not who: of somebody else the answers say as much.
    others = TraceMatrix(random.permutation(original.region), 41)
    answer = PosteriorTraces(0).attack(known, release, CHANCE)
    told, of_others = (trace_inference(one, answer, rules).value for one in (original, others))
    assert told == pytest.approx(of_others, abs=0.02)


def test_what_is_guessed_is_expected_to_find_most():
    random = np.random.default_rng(3)
    rules = Rules()
    found = gains(rules)
    habit = random.random((2, 1, 1024)).astype(np.float32)
    chance = random.random((2, 1024)) * (random.random((2, 1024)) < 0.01)
    chance *= 0.6 / chance.sum(axis=1, keepdims=True)
    user, region = np.nonzero(chance)
    ptr = np.concatenate([[0], np.cumsum(np.bincount(user))])
    ends = np.array([[row.nonzero()[0][0], row.nonzero()[0][-1] + 1] for row in found])
    guess = np.empty((2, 1), np.int32)
    places = ptr, region.astype(np.int32), chance[user, region].astype(np.float32)
    best_guesses(places, np.zeros(1, int), habit, (found, ends), guess)
    expected = (chance @ found + 0.4 * habit[:, 0]).max(axis=1)
    reached = (chance @ found + 0.4 * habit[:, 0])[[0, 1], guess[:, 0]]
    assert reached == pytest.approx(expected, rel=1e-5)


def test_habits_are_probabilities_and_prefer_where_people_were(small_town):
    _, known = small_town
    habits = known.habits
    likely = np.exp(habits.ratio[:, :-1]) * habits.background[:, :, None]
    assert likely.sum(axis=1) == pytest.approx(np.ones((20, 60)), abs=1e-4)
    assert np.all(habits.ratio[:, -1] == 0)
    home = known.traces.region[:, 0]
    assert (likely[0].argmax(axis=0) == home).mean() > 0.8
    assert np.all((habits.weight >= 0) & (habits.weight <= 2))


def test_habits_can_be_learned_from_one_day(small_town):
    _, known = small_town
    day = TraceMatrix(known.traces.region[:, :20])
    habits = VisitHabits.learn(day, Rules())
    assert np.isfinite(habits.ratio).all()
    assert habits.weight.tolist() == pytest.approx([0.3] * 20)


def test_what_the_attacker_knows_is_yes_or_no():
    for kind in (PosteriorIds, MatchedIds, PosteriorTraces):
        with pytest.raises(InputError, match=f"{kind.short} takes 0 or 1, not 2"):
            kind(2)


def test_other_users_are_refused(small_town):
    _, known = small_town
    strangers = Cells.of_regions(np.zeros((5, 40), int), 1024)
    for attacker in (PosteriorIds(), PosteriorTraces(), HabitTraces()):
        with pytest.raises(InputError, match="60 users, the release 5 pseudonyms"):
            attacker.attack(known, strangers, CHANCE)


RULES = Rules(
    Regions(1, 3, 35.65, 139.68, 0.003, 0.004, np.zeros(3, bool)), steps_per_day=3, home_steps=1
)


def table_of(users, n_users):
    """(n_tracks, n_users) what is believed of each pair."""
    of_paths = np.zeros((len(users.ptr) - 1, n_users))
    of_paths[np.repeat(np.arange(len(of_paths)), np.diff(users.ptr)), users.user] = users.mass
    return of_paths[users.of_track]


def most_believed(likely):
    """The largest sum of beliefs, by trying all assignments."""
    tracks = np.arange(len(likely))
    return max(likely[tracks, list(order)].sum() for order in permutations(tracks))


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_no_other_assignment_is_believed_more(n_users, seed):
    """Tracks of one way, ties, and users who are believed to be nowhere included."""
    random = np.random.default_rng(seed)
    likely = random.random((n_users, n_users)).round(int(random.integers(1, 4)))
    likely[random.random((n_users, n_users)) < random.random()] = 0
    way = random.integers(n_users, size=n_users)
    paths = BelievedUsers.of_tracks(likely.astype(np.float32))
    users = BelievedUsers(way, paths.ptr, paths.user, paths.mass)
    named = assigned(users)
    assert sorted(named.tolist()) == list(range(n_users))
    believed = table_of(users, n_users)
    found = believed[np.arange(n_users), named].sum()
    assert found == pytest.approx(most_believed(believed), abs=n_users * STEP)


@pytest.mark.parametrize("exchanged", [0, 1])
def test_on_a_small_release_it_is_the_assignment_that_all_assignments_make_likeliest(exchanged):
    random = np.random.default_rng(4)
    known = Reference(TraceMatrix(random.integers(3, size=(4, 6)).astype(np.int32)), RULES)
    release = Cells.of_regions(random.integers(3, size=(4, 3)), 3)
    named = MatchedIds(exchanged).attack(known, release, random).reshape(4, -1)
    noise = Noise.of_release(known.habits, release)
    weight = noise.weights(piece_weights(known) if exchanged else known.habits.weight)
    seen = ratios_of(known, release, exchanged)
    step = known.rules.step_of_day(release.time_ids)
    for likely, column in zip(
        user_of_track(release, seen, weight, step, exchanged), named.T, strict=False
    ):
        chosen = likely[np.arange(4), column].sum()
        assert chosen == pytest.approx(most_believed(likely), abs=4 * LEAST)


def test_messages_say_who_is_on_each_track():
    """Beliefs of a user sum to 1 over tracks, and her surest way is the one that POST names."""
    random = np.random.default_rng(6)
    release = Cells.of_regions(random.integers(4, size=(6, 4)), 3)
    ratio = random.normal(size=(2, 4, 6)).astype(np.float32)
    found = exchanged_belief(release, ratio, np.ones(2, np.float32), np.arange(4) % 2)
    assert len(found.users) == 4
    for at, users in enumerate(found.users):
        likely = table_of(users, 6)
        assert likely.sum(axis=0) == pytest.approx(np.ones(6), abs=6 * 6 * LEAST)
        assert np.array_equal(likely.argmax(axis=1), found.user[:, at])


@pytest.mark.parametrize("how", [SHUFFLE, MIXZONE])
def test_nobody_is_named_twice_at_one_time(how):
    region = town(30, days=4, random=np.random.default_rng(2)).region
    known = Reference(TraceMatrix(region[:, :40]), Rules())
    cells = Cells.of_regions(region[:, 40:], 1024, 41)
    table = PSEUDONYMIZERS[how].table(cells, np.random.default_rng(1))
    named = MatchedIds(int(how == MIXZONE)).attack(known, table.publish(cells), None)
    assert named.shape == ((30,) if how == SHUFFLE else (30, 40))
    assert all(len(set(column)) == 30 for column in named.reshape(30, -1).T)
    assert np.count_nonzero(named.reshape(30, -1) == table.user) > named.size / 10
