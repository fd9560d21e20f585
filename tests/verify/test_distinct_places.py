"""Candidates at several places, against all assignments of small problems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.model.course import NoJournal, SolveLimits
from mixsafe.verify import verify
from tests.support.oracles import domains_of, requirements_of
from tests.support.random_problems import random_problem
from tests.support.relations import with_pairs
from tests.support.track_places import bounds_on_places, drawn_places, placed, verdict_of

ONE_WORKER = SolveLimits(workers=1)


def problems(number, *, shown=(0.8, 1.0), seed=0, relations=False):
    """Problems with places, the truth about their candidates, and a number of places to ask for."""
    for n in range(number):
        random = np.random.default_rng((seed, n))
        one = random_problem(random, max_users=5, max_horizon=6, max_assignments=120)
        zones = one.zones
        if relations and len(zones):
            members = np.split(zones.members, zones.ptr[1:-1])
            allowed = [
                {(int(a), int(b)) for a in some for b in some if a != b and random.random() < 0.6}
                or None
                for some in members
            ]
            one = replace(one, zones=with_pairs(zones, allowed))
        share = float(random.choice(shown))
        where = drawn_places(random, zones.n_users, zones.axis.steps, share)
        yield placed(one, where, {10}), where, domains_of(one), int(random.integers(1, 4))


def check(number, **how):
    """Verdicts, bounds on places and shares, as they follow from all assignments."""
    for problem, where, truth, least in problems(number, **how):
        expected = []
        for user, t, k in requirements_of(problem):
            candidates = truth[user, t]
            at = [bounds_on_places(where, candidates, t)] if t else []
            expected.append(verdict_of(len(candidates), k, at, least))
        found = verify(problem, distinct_places=least, limits=ONE_WORKER).results
        assert found["verdict"].tolist() == expected
        every = replace(problem, requirements=None)
        for row in verify(every, k=2, distinct_places=least, limits=ONE_WORKER).wires.itertuples():
            steps = range(max(row.from_time, 1), row.to_time + 1)
            candidates = truth[row.user_id, row.from_time]
            at = [bounds_on_places(where, candidates, t) for t in steps]
            assert row.verdict == verdict_of(len(candidates), 2, at, least)
            assert row.places_lower <= min([low for low, _ in at], default=len(candidates))
            assert row.places_upper >= min([high for _, high in at], default=len(candidates))


def test_verdicts_are_those_that_follow_from_all_assignments():
    check(60)


def test_verdicts_with_relations_are_those_that_follow_from_all_assignments():
    check(20, seed=1, relations=True)


@pytest.mark.parametrize("engine", ["cpsat", "dp", "bounds"])
def test_other_engines_never_contradict_all_assignments(engine):
    for problem, where, truth, least in problems(10, seed=2):
        found = verify(problem, distinct_places=least, engine=engine, limits=ONE_WORKER).results
        for (user, t, k), said in zip(requirements_of(problem), found["verdict"], strict=True):
            at = [bounds_on_places(where, truth[user, t], t)] if t else []
            true = verdict_of(len(truth[user, t]), k, at, least)
            assert said == true or (engine == "bounds" and said == "undecided")


def test_exhaustive_lists_the_places_of_every_user_and_time():
    for problem, where, truth, _ in problems(20, seed=3):
        whole = replace(problem, requirements=None)
        answer = verify(whole, exhaustive=True, distinct_places=1, limits=ONE_WORKER)
        listed = answer.to_dict()["places"]
        users, steps = problem.zones.n_users, problem.zones.axis.steps
        assert len(listed) == users * steps
        for row in listed:
            user, t = row["user_id"], row["time_id"]
            assert (row["lower"], row["upper"]) == bounds_on_places(where, truth[user, t], t)


def test_shares_of_time_at_one_place_and_at_sensitive_places_follow_from_all_assignments():
    counted = 0
    for problem, where, truth, _ in problems(30, seed=4, shown=(1.0,)):
        whole = replace(problem, requirements=None)
        answer = verify(whole, k=2, exhaustive=True, distinct_places=1, limits=ONE_WORKER)
        at = {
            (user, t): {where[one, t] for one in found}
            for (user, t), found in truth.items()
            if t > 0
        }
        safe = [key for key in at if len(truth[key]) >= 2]
        found = answer.summary["places"]
        alone = {key for key in at if len(at[key]) == 1}
        marked = {key for key in at if at[key] == {10}}
        for name, those in (("one_place", alone), ("sensitive", marked)):
            shares = found[name]
            assert shares["share_of_time"] == round(len(those) / len(at), 6)
            assert shares["undecided_share_of_time"] == 0
            if safe:
                share = round(len(those & set(safe)) / len(safe), 6)
                assert shares["share_of_safe_time"] == share
                counted += 0 < share < 1
            else:
                assert shares["share_of_safe_time"] is None
    assert counted > 5


def test_one_place_changes_no_verdict_and_k_places_imply_k_candidates():
    for problem, _, _, _ in problems(20, seed=5):
        plain = verify(problem, limits=ONE_WORKER).results
        one = verify(problem, distinct_places=1, limits=ONE_WORKER).results
        assert one["verdict"].tolist() == plain["verdict"].tolist()
        for k in (2, 3):
            few, many = (
                verify(replace(problem, requirements=None), k=least, distinct_places=k).wires
                for least in (2, k)
            )
            has_step = few["to_time"] > 0
            assert few["verdict"][has_step].tolist() == many["verdict"][has_step].tolist()


def test_more_places_never_make_a_wire_safe():
    rank = {"unsafe": 0, "undecided": 1, "safe": 2}
    for problem, _, _, _ in problems(20, seed=6):
        whole = replace(problem, requirements=None)
        said = [
            verify(whole, k=2, distinct_places=least, limits=ONE_WORKER).wires["verdict"].map(rank)
            for least in (1, 2, 3)
        ]
        assert (said[0].astype(int) >= said[1].astype(int)).all()
        assert (said[1].astype(int) >= said[2].astype(int)).all()


def test_a_run_that_is_resumed_asks_the_same_again():
    class Kept(NoJournal):
        def __init__(self):
            self.entries, self.at = [], 0

        def recall(self, step):
            if self.at == len(self.entries):
                return None
            name, entry = self.entries[self.at]
            assert name == step
            self.at += 1
            return entry

        def keep(self, step, entry):
            self.entries.append((step, entry))
            self.at = len(self.entries)

    for problem, _, _, _ in problems(10, seed=7):
        journal = Kept()
        first = verify(problem, distinct_places=2, journal=journal, limits=ONE_WORKER)
        journal.at, entries = 0, len(journal.entries)
        again = verify(problem, distinct_places=2, journal=journal, limits=ONE_WORKER)
        assert again.results.equals(first.results)
        assert len(journal.entries) == entries


def test_places_that_nobody_knows_are_refused():
    problem = random_problem(np.random.default_rng(0))
    with pytest.raises(InputError, match="where the candidates are is unknown"):
        verify(problem, k=2, distinct_places=2)
    with pytest.raises(InputError, match="0 distinct places"):
        verify(placed(problem, {}), k=2, distinct_places=0)
