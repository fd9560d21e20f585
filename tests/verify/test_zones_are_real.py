"""What a verification says first: how real its zones are, and for how long people are followed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

import mixsafe
from mixsafe.documents.atlas import Context
from mixsafe.documents.document import Document
from mixsafe.extract.exchange.rules import ExchangeRules
from mixsafe.model.answer.wording import share
from mixsafe.model.question.followed_zones import FollowedMembers, FollowedPeople
from mixsafe.model.question.problem import Problem
from mixsafe.verify.times_followed import _identified
from mixsafe.verify.verification import Verification
from mixsafe.verify.verification_document import verification_document
from tests.support.crossings import crossing
from tests.support.oracles import domains_of
from tests.support.strategies import problems


def document_of(answer: Verification) -> Document:
    return verification_document(answer, None, Context("x", "The adversary saw nobody"))


@pytest.fixture(scope="module")
def crossed() -> Verification:
    """People who drive straight on, past each other."""
    return mixsafe.verify(crossing(), k=2)


def test_how_real_zones_are_comes_before_who_is_protected(crossed: Verification) -> None:
    followed = crossed.problem.zones_followed
    assert followed is not None
    total = followed.total
    document = document_of(crossed)
    assert crossed.verdict.passes
    assert [fact.label for fact in document.facts[:3]] == ["Zones", "Followed", "Time"]
    said = str(document.facts[0].value)
    named = share(total.named / total.members)
    bets = f"names {named} of the members of mix zones right (by chance: 50.0%)."
    assert f"{bets} By what is possible, each of 60 people has" in document.sentence
    assert "By what is possible" not in said
    assert bets not in said
    assert said.startswith(f"{total.open:,} of {total.zones:,} mix zones hide nobody")
    assert "--believable 0.05 counts what such a person would believe" in said
    assert "Do not publish on this verdict alone" in document.next_steps[0]
    assert crossed.facts["zones"] == said  # a notebook's summary
    assert crossed.facts["answer"].startswith(document.sentence)
    assert crossed.to_dict()["headline"]["sentence"] == document.sentence
    numbers = crossed.to_dict()["followed"]
    assert numbers["zones_that_hide_nobody"] == total.open
    assert list(numbers["times"]) == ["1", "0.9", "0.5"]


def test_a_failure_is_said_before_the_follower_and_lots_are_not_mentioned(
    crossed: Verification,
) -> None:
    failed = mixsafe.verify(crossing(), k=61)
    assert failed.sentence.startswith(f"{failed.headline.sentence} A follower who bets")
    followed = crossed.problem.zones_followed
    assert followed is not None
    lots = replace(followed, total=FollowedMembers(100, 200, 101, 0, 0, 0))
    drawn = replace(crossed.problem, followed=lots)
    assert replace(crossed, problem=drawn).sentence == crossed.headline.sentence


def test_a_small_share_that_is_believable_silences_nobody() -> None:
    """Almost all exchanges count, and she is as often right: a pass must not come first."""
    found = mixsafe.verify(crossing(), k=2, rules=ExchangeRules(believable=1e-40))
    assert found.verdict.passes
    assert found.sentence.startswith("A follower who bets on how people move names")
    assert ". By what is believable, each of 60 people has 2" in found.sentence


def test_an_officer_reads_that_people_can_be_followed(crossed: Verification) -> None:
    linkable = [one for one in document_of(crossed).evidence if one.criterion == "linkability"]
    assert linkable[-1].stands == "speaks against"
    assert "A follower who bets on how people move" in linkable[-1].sentences[0]


def test_with_believable_exchanges_it_is_said_how_many_zones_hide() -> None:
    found = mixsafe.verify(crossing(), k=2, rules=ExchangeRules(believable=0.05))
    followed = found.problem.zones_followed
    assert followed is not None
    said = str(document_of(found).facts[0].value)
    assert said.startswith("Only exchanges that a follower who bets would believe are counted")
    assert f"(--believable 0.05): {followed.hiding:,} of {len(followed.zones):,} mix zones" in said
    assert "takes the zones for real" not in said
    assert not any("Do not publish on this" in step for step in document_of(found).next_steps)


def test_what_nobody_can_follow_is_not_alarming(crossed: Verification) -> None:
    """Where a follower is as good as lots: neither advice nor evidence against it."""
    followed = crossed.problem.zones_followed
    assert followed is not None
    zones = len(crossed.problem.zones)
    lots = replace(followed, total=FollowedMembers(zones, 2 * zones, zones + 3, 0, 0, 0))
    problem = replace(crossed.problem, followed=lots)
    document = document_of(replace(crossed, problem=problem))
    assert "takes the zones for real" not in str(document.facts[0].value)
    assert "hide nobody" not in str(document.facts[0].value)
    assert not any("Do not publish on this" in step for step in document.next_steps)
    linkable = [one for one in document.evidence if one.criterion == "linkability"]
    assert linkable[-1].stands is None


def test_a_sample_is_called_one(crossed: Verification) -> None:
    followed = crossed.problem.zones_followed
    assert followed is not None
    assert followed.people is not None
    some = replace(followed.people, row=followed.people.row[:7])
    fewer = replace(followed, total=FollowedMembers(50, 100, 90, 80, 79, 40), people=some)
    problem = replace(crossed.problem, followed=fewer)
    document = document_of(replace(crossed, problem=problem))
    times = document.facts[1]
    assert "(by chance: 50.0%, of 50 mix zones drawn at random)" in document.sentence
    assert "from any moment (7 of 60 people, drawn at random) on" in str(times.value)


def test_data_without_places_say_nothing_of_it() -> None:
    zones = mixsafe.mix_zones(mixsafe.positions(crossing()))
    found = mixsafe.verify(zones, k=2)
    assert found.times_followed is None
    assert document_of(found).facts[0].label == "Time"
    assert "followed" not in found.to_dict()


def test_certainty_is_less_than_any_belief(crossed: Verification) -> None:
    times = crossed.times_followed
    assert times is not None
    assert times["1"].longest <= times["0.9"].longest <= times["0.5"].longest
    assert times["1"].median <= times["0.9"].median <= times["0.5"].median
    assert times["0.5"].longest > 2 * times["1"].longest


@settings(max_examples=60, deadline=None)
@given(problems())
def test_certain_are_those_with_one_candidate_before_and_after(asked: Problem) -> None:
    found = mixsafe.verify(asked, k=2)
    candidates = domains_of(asked)
    zones = asked.zones
    order = np.argsort(zones.members, kind="stable")
    row, step = zones.members[order].astype(np.int64), zones.time[zones.zone_of_member[order]]
    nothing = np.zeros(len(row))
    people = FollowedPeople(
        np.arange(zones.n_users), row, step.astype(np.int64), nothing, nothing > 0
    )
    certain = [
        len(candidates[one, at - 1]) == len(candidates[one, at]) == 1
        for one, at in zip(row.tolist(), step.tolist(), strict=True)
    ]
    assert _identified(people, found.rows).tolist() == certain
