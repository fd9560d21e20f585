"""The way in: what may be asked, what is refused, and that the answer is always the same one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.model.answer.verdict import Argument, Verdict
from mixsafe.model.course import SolveLimits
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.requirement import Rule
from mixsafe.solver import auto
from mixsafe.solver.registry import ENGINES
from mixsafe.solver.strategy import Strategy
from mixsafe.verify import verify
from mixsafe.verify.presolved import MAX_ZONE
from tests.support.oracles import domains_of, knowledge_of, zones_of
from tests.support.strategies import mix_zones, problem, problems, zone_lists

ONE_WORKER = SolveLimits(workers=1)


@pytest.fixture
def walkers():
    """The four walkers: 0 is seen at both ends; 1, 2 and 3 may carry each other's after step 3."""
    return problem(4, 6, [(1, [0, 2]), (3, [1, 2, 3])], [(0, 0), (0, 6)])


def asking(asked, requirements):
    """The problem with other requirements."""
    triples = problem(asked.zones.n_users, asked.zones.axis.steps, [], (), requirements)
    return replace(asked, requirements=triples.requirements)


def candidates(asked, engine="auto"):
    """D(u, t) as the engine has it."""
    answer = verify(asked, engine=engine, exhaustive=True, limits=ONE_WORKER)
    return {(row["user"], row["time"]): set(row["pseudonyms"]) for row in answer.domains}


@pytest.mark.parametrize("k", [1, 0, -1, 2**31])
def test_k_must_protect(walkers, k):
    with pytest.raises(InputError, match=rf"k = {k} is not from 2 to 2147483647"):
        verify(walkers, k=k)


@pytest.mark.parametrize("engine", ["auto", "cpsat", "dp", "bounds"])
def test_more_candidates_than_users_are_not_there(walkers, engine):
    answer = verify(walkers, k=5, engine=engine)
    assert set(answer.wires["verdict"]) == {"unsafe"}
    assert answer.notes[-1].startswith("k = 5 asks for more candidates than there are users (4)")


def test_an_unknown_engine_is_refused_with_those_there_are(walkers):
    with pytest.raises(InputError, match=r"unknown engine 'best'.*auto, cpsat, dp, bounds"):
        verify(walkers, k=2, engine="best")


def test_an_unknown_encoding_is_refused(walkers):
    with pytest.raises(InputError, match="unknown encoding 'cubes'"):
        verify(walkers, k=2, engine="cpsat", encoding="cubes")


def test_a_problem_in_which_nothing_is_asked_is_refused(walkers):
    with pytest.raises(InputError, match="nothing is asked"):
        verify(walkers)


def test_times_without_k_are_refused(walkers):
    with pytest.raises(InputError, match="times are given, but not k"):
        verify(walkers, at=[3])


@pytest.mark.parametrize("at", [[], [-1], [2, 7]])
def test_times_must_be_within_the_horizon(walkers, at):
    with pytest.raises(InputError, match=r"are not in 0\.\.6"):
        verify(walkers, k=2, at=at)


def test_a_zone_that_is_one_place_for_everybody_is_refused_with_its_time():
    crowd = problem(MAX_ZONE + 1, 3, [(3, range(MAX_ZONE + 1))])
    says = "1000001 users are in one mix zone at time 3, more than 1000000"
    with pytest.raises(InputError, match=says):
        verify(crowd, k=2)


def test_an_answer_tells_how_many_rows_each_argument_settled_and_what_it_cost(walkers):
    told = verify(walkers, k=2, limits=ONE_WORKER).to_dict()
    assert sum(told["decided_by"].values()) == told["summary"]["requirements"]
    words = {argument.word for argument in Argument}
    assert set(told["decided_by"]) | set(told["processor_seconds"]) <= words
    assert all(seconds > 0 for seconds in told["processor_seconds"].values())


def test_asked_at_some_steps_each_user_gets_an_answer_for_each(walkers):
    results = verify(walkers, k=3, at=[6, 2, 6], limits=ONE_WORKER).results
    asked = results[["user", "time"]].values.tolist()
    assert asked == [[user, t] for user in range(4) for t in (2, 6)]
    late = results[results["time"] == 6]
    assert late["verdict"].tolist() == ["unsafe", "safe", "safe", "safe"]


def test_asked_for_k_everywhere_requirements_of_the_problem_are_not_asked(walkers):
    answer = verify(asking(walkers, [(0, 6, 4)]), k=2, limits=ONE_WORKER)
    assert answer.results is None
    assert answer.summary["requirements"] == len(answer.wires) == 4 + 5


def test_several_k_for_one_wire_are_answered_each(walkers):
    asks = [(1, 4, 1), (1, 6, 3), (1, 5, 4), (1, 4, 2), (1, 4, 3)]
    results = verify(asking(walkers, asks), limits=ONE_WORKER).results
    assert results["k"].tolist() == [1, 3, 4, 2, 3]
    assert results["verdict"].tolist() == ["safe", "safe", "unsafe", "safe", "safe"]


def test_requirements_asked_exhaustively_are_answered_and_all_candidates_listed(walkers):
    asked = asking(walkers, [(1, 4, 3), (0, 6, 2)])
    answer = verify(asked, exhaustive=True, limits=ONE_WORKER)
    assert answer.results["verdict"].tolist() == ["safe", "unsafe"]
    assert len(answer.domains) == 4 * 7


def test_an_empty_list_of_requirements_is_met(walkers):
    answer = verify(asking(walkers, []), engine="bounds")
    assert answer.verdict is Verdict.SAFE
    assert answer.summary["requirements"] == 0


def test_one_user_who_fails_makes_the_whole_unsafe(walkers):
    assert verify(walkers, k=3, limits=ONE_WORKER).verdict is Verdict.UNSAFE
    assert verify(walkers, k=3, at=[6], rule=Rule("some")).summary["users"] == {
        "safe": 3,
        "unsafe": 1,
        "undecided": 0,
    }


def test_an_answer_says_what_was_asked_and_what_came_out(walkers):
    told = verify(walkers, k=3, at=[6], limits=ONE_WORKER).to_dict()
    assert (told["users"], told["steps"], told["zones"], told["engine"]) == (4, 6, 2, "auto")
    assert [row["verdict"] for row in told["results"]] == ["unsafe", "safe", "safe", "safe"]
    assert "domains" not in told


def knotted():
    """Twelve users who meet in threes at random and are seen now and then: bounds do not do."""
    random = np.random.default_rng(4)
    zones = [(t, random.permutation(12)[:3].tolist()) for t in range(1, 61)]
    known = [(user, t) for user in range(12) for t in (0, 20, 40, 60)]
    return problem(12, 60, zones, known)


def test_the_number_of_workers_does_not_show():
    decide = partial(auto.decide, strategy=Strategy(most_walks=0, states=0, small=0))
    engine = replace(ENGINES["auto"], load=lambda: decide)
    one, two = (
        verify(knotted(), k=4, engine=engine, limits=SolveLimits(workers=n)).wires for n in (1, 2)
    )
    assert one.equals(two)
    assert {"annealing", "assumption"} & set(one["decided_by"])  # workers had something to do


def test_a_limit_that_is_reached_leaves_bounds_and_no_guesses():
    short = verify(knotted(), k=4, limits=SolveLimits(seconds=1e-9, workers=1)).wires
    whole = verify(knotted(), k=4, limits=ONE_WORKER).wires
    left = short["verdict"] == "undecided"
    assert left.any()
    assert (short["verdict"][~left] == whole["verdict"][~left]).all()
    assert (short["lower"] <= whole["upper"]).all()
    assert (whole["lower"] <= short["upper"]).all()


@given(asked=problems())
@settings(max_examples=25)
def test_every_user_can_be_herself(asked):
    assert all(user in found for (user, _), found in candidates(asked, "bounds").items())


@given(asked=problems(), data=st.data())
@settings(max_examples=25)
def test_more_zones_never_remove_a_candidate(asked, data):
    zones = zones_of(asked)
    kept = data.draw(st.lists(st.booleans(), min_size=len(zones), max_size=len(zones)))
    fewer = [zone for zone, stays in zip(zones, kept, strict=True) if stays]
    n_users, horizon = asked.zones.n_users, asked.zones.axis.steps
    more = domains_of(asked)
    for point, found in candidates(
        replace(asked, zones=mix_zones(n_users, horizon, fewer))
    ).items():
        assert found <= more[point]


@given(data=st.data())
@settings(max_examples=25)
def test_run_backward_between_known_ends_the_candidates_are_the_same(data):
    n_users, horizon = data.draw(st.integers(2, 5)), data.draw(st.integers(1, 7))
    zones = data.draw(zone_lists(n_users, horizon, 7, 5000))
    sighting = st.tuples(st.integers(0, n_users - 1), st.integers(0, horizon))
    known = data.draw(st.sets(sighting, max_size=3))
    known |= {(user, t) for user in range(n_users) for t in (0, horizon)}
    forward = candidates(problem(n_users, horizon, zones, sorted(known)))
    reverse = problem(
        n_users,
        horizon,
        [(horizon + 1 - t, members) for t, members in zones],
        [(user, horizon - t) for user, t in known],
    )
    backward = candidates(reverse)
    assert all(backward[user, horizon - t] == found for (user, t), found in forward.items())


@given(asked=problems())
@settings(max_examples=15)
def test_one_sighting_alone_tells_nothing(asked):
    first = {}
    for user, t in knowledge_of(asked):
        first.setdefault(user, (user, t))
    single = replace(asked, knowledge=Knowledge.from_pairs(first.values()))
    nothing = replace(asked, knowledge=Knowledge.from_pairs([]))
    assert candidates(single) == candidates(nothing)
