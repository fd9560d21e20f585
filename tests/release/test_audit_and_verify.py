"""The auditor's view and the publisher's agree where both know the same.

The publisher knows where each user is, and asks which pseudonyms she may carry: rows are users,
tokens are pseudonyms. The auditor knows where each pseudonym is, and asks on which tracks a user
may be: rows are tracks, tokens are users. Let both know who carried which pseudonym at the start,
and at the same later times. Then user i can be on the track that is truly user u's at time t,
exactly if u may carry the pseudonym then that i had at the start.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.extract.adversaries import knowledge
from mixsafe.extract.positions import positions
from mixsafe.extract.select import select
from mixsafe.io.contest.reading import read_traces
from mixsafe.io.sources import load
from mixsafe.model.course import SolveLimits
from mixsafe.model.question.adversary import Knowledge, Pins
from mixsafe.model.question.problem import Problem
from mixsafe.model.release import Cells
from mixsafe.release.audit import audit
from mixsafe.release.evidence import Evidence, Published
from mixsafe.release.exchange import exchanged_table, visible_zones
from mixsafe.verify import verify
from tests.support.oracles import domains_of, number_of_assignments, zones_of
from tests.support.strategies import problems

ONE_WORKER = SolveLimits(workers=1)

Matrix = npt.NDArray[np.bool_]
"""[i, u, t - 1]: whether user i's pseudonym can be user u's, or i on u's track, at time t."""


def by_audit(cells: Cells, known: Knowledge, seed: int) -> Matrix:
    """Exchange, publish, tell the auditor who carried what at the sightings, and ask her."""
    table = exchanged_table(cells, np.random.default_rng(seed))
    published = Published.of_cells(table.publish(cells))
    carried = np.broadcast_to(table.pseudonym, cells.code.shape)
    n_users, n_steps = cells.code.shape
    # What a user carried at first she may as well have brought: names at the start are only names.
    later = known.time > 0
    user = np.concatenate([np.arange(n_users), known.row[later]])
    time = np.concatenate([np.zeros(n_users, np.int32), known.time[later]])
    track = carried[user, np.maximum(time, 1) - 1]
    pins = Pins(user.astype(np.int32), time, np.arange(len(user) + 1), track.astype(np.int32))
    order = np.argsort(pins.time, kind="stable")
    pins = Pins(pins.token[order], pins.time[order], pins.ptr, pins.rows[order])
    evidence = Evidence(published.zones, np.arange(n_users), pins)
    answer = audit(evidence, 2, exhaustive=True, limits=ONE_WORKER)
    assert answer.candidates is not None
    assert answer.candidates["proven"].all()
    behind = np.argsort(carried, axis=0)  # the user who truly carries each pseudonym at each time
    found = np.zeros((n_users, n_users, n_steps), bool)
    for row in answer.candidates.itertuples():
        for t in range(row.from_time - cells.first_time, row.to_time - cells.first_time + 1):
            found[row.user_id, behind[row.pse_id - n_users - 1, t], t] = True
    return found


def by_verify(cells: Cells, known: Knowledge) -> Matrix:
    """Ask the publisher."""
    n_users, n_steps = cells.code.shape
    problem = Problem("release", visible_zones(cells), known)
    found = np.zeros((n_users, n_users, n_steps), bool)
    answer = verify(problem, exhaustive=True, limits=ONE_WORKER)
    for entry in answer.domains or []:
        t = entry["time"] - cells.first_time
        if t >= 0:
            found[np.array(entry["pseudonyms"]) - 1, entry["user"] - 1, t] = True
    return found


def by_brute_force(cells: Cells, known: Knowledge) -> Matrix:
    n_users, n_steps = cells.code.shape
    found = np.zeros((n_users, n_users, n_steps), bool)
    for (user, t), tokens in domains_of(Problem("release", visible_zones(cells), known)).items():
        if t:
            found[list(tokens), user, t - 1] = True
    return found


@st.composite
def small_cases(draw: st.DrawFn) -> tuple[Cells, Knowledge]:
    """A few users with a few places, and sightings of users who were seen at the start, too."""
    users, steps = draw(st.integers(2, 4)), draw(st.integers(1, 4))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    cells = Cells.of_regions(random.integers(4, size=(users, steps)), 3, first_time=41)
    seen = draw(st.sets(st.tuples(st.integers(0, users - 1), st.integers(1, steps)), max_size=5))
    return cells, Knowledge.from_pairs([*seen, *((user, 0) for user, _ in seen)])


@settings(max_examples=40)
@given(case=small_cases(), seed=st.integers(0, 99))
def test_both_views_are_one_on_small_cases_by_brute_force(case, seed) -> None:
    cells, known = case
    if number_of_assignments(zones_of(Problem("", visible_zones(cells), known))) > 3000:
        return
    truth = by_brute_force(cells, known)
    assert np.array_equal(by_audit(cells, known, seed), truth)
    assert np.array_equal(by_verify(cells, known), truth)


@pytest.mark.parametrize("adversary", ["none", "endpoints", "daily"])
def test_both_views_are_one_on_a_release_of_osaka(
    published: Callable[[str], Path], adversary: str
) -> None:
    traces = read_traces(published("pwscup2019/orgtraces_team001_data01_IDP.csv"), 1024)
    cells = Cells.of_regions(traces.region[:40], 1024, traces.first_time)
    known = knowledge(adversary, visible_zones(cells))
    both = by_audit(cells, known, 1)
    assert np.array_equal(both, by_verify(cells, known))
    assert both.sum() > both[np.arange(40), np.arange(40)].sum()  # somebody can be somebody else


def test_both_views_are_one_on_a_release_of_cabs(published: Callable[[str], Path]) -> None:
    path = published("cabspotting/cabspottingdata.tar.gz")
    places = positions(select(load(path), users=12, days=1, seed=1), cell_size=500, time_step=600)
    known_places, rank = np.unique(places.place, return_inverse=True)
    code = np.full((len(places.users), places.axis.steps), len(known_places), np.int32)
    code[places.row, places.step - 1] = rank
    cells = Cells.of_regions(code, len(known_places))
    known = knowledge("endpoints", visible_zones(cells))
    both = by_audit(cells, known, 1)
    assert np.array_equal(both, by_verify(cells, known))
    assert both.sum() > both[np.arange(12), np.arange(12)].sum()


def counts_of(may: Matrix) -> tuple[list[int], list[int]]:
    """At the last step: people on the piece of each user, and pieces of each user."""
    return may[:, :, -1].sum(axis=0).tolist(), may[:, :, -1].sum(axis=1).tolist()


def test_people_on_a_piece_and_pieces_of_a_person_differ_as_the_docs_say(root: Path) -> None:
    """1 and 2 meet, then 2 and 3. Verify counts the people on a piece, an audit the other."""
    cells = Cells.of_regions(np.array([[0, 1, 2], [0, 3, 4], [5, 3, 6]]), 1024)
    zones = visible_zones(cells)
    known = Knowledge.of(range(3), [0, 0, 0])
    people, pieces = counts_of(by_audit(cells, known, seed=1))
    assert (people, pieces) == ([2, 3, 3], [3, 3, 2])
    answer = verify(Problem("p", zones, known), k=3, exhaustive=True, limits=ONE_WORKER)
    sizes = answer.wires.groupby("user_id", sort=False)["lower"].last()
    assert sizes.tolist() == people
    lines = (root / "docs" / "adversary.md").read_text(encoding="utf-8").splitlines()
    for person, (count, where) in enumerate(zip(people, pieces, strict=True), 1):
        begin = f"| {person} | {count} people: "
        (line,) = (one for one in lines if one.startswith(begin))
        assert f" | {where} pieces: " in line


@given(problems(max_users=5, max_assignments=200))
@settings(max_examples=60)
def test_for_two_candidates_both_numbers_say_the_same_and_their_averages_are_equal(asked) -> None:
    domains, users = domains_of(asked), range(asked.zones.n_users)
    for t in range(1, asked.zones.axis.steps + 1):
        people = [len(domains[user, t]) for user in users]
        pieces = [sum(user in domains[other, t] for other in users) for user in users]
        assert sum(people) == sum(pieces)
        assert [one >= 2 for one in people] == [one >= 2 for one in pieces]
