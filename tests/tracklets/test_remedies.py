"""The mildest changes to a feed are found, and nothing milder fulfils the rule."""

from __future__ import annotations

import itertools

import pytest

from mixsafe.io.gbfs.reading import read_feed
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.course import Deadline
from mixsafe.model.question.requirement import Rule
from mixsafe.model.tracklets import Tracklets
from mixsafe.tracklets.linking import MayLeave
from mixsafe.tracklets.remedies import FeedQuestion, _ladders, remedies
from mixsafe.tracklets.rules import LinkRules
from tests.support.feeds import random_fleet, write_lines


@pytest.fixture(scope="module")
def tracklets(tmp_path_factory: pytest.TempPathFactory) -> Tracklets:
    """Twelve vehicles of two types."""
    path = tmp_path_factory.mktemp("fleet") / "feed.jsonl"
    return read_feed(write_lines(path, *random_fleet(5, vehicles=12, steps=16))).tracklets


def asked(k: int, rule: Rule) -> FeedQuestion:
    return FeedQuestion(LinkRules(), MayLeave(), k, rule)


def test_nothing_is_changed_where_the_rule_is_fulfilled(tracklets: Tracklets) -> None:
    found = remedies(tracklets, asked(2, Rule("share", 0.01)))
    assert [one.words for one in found.tried] == ["none"]
    assert found.sentence == "The rule is fulfilled as it is."


def test_all_changes_of_fewer_steps_were_tried_in_vain(tracklets: Tracklets) -> None:
    found = remedies(tracklets, asked(4, Rule("share", 0.8)))
    assert found.complete
    assert found.mildest
    steps = found.mildest[0].n_steps
    assert steps > 0
    sizes = [range(len(one) + 1) for one in _ladders(tracklets, LinkRules()).values()]
    fewer = sum(sum(levels) < steps for levels in itertools.product(*sizes))
    before = [one for one in found.tried if one.n_steps < steps]
    assert len(before) == len({tuple(one.changes.items()) for one in before}) == fewer
    assert all(one.verdict is not Verdict.SAFE for one in before)


def test_where_not_even_all_steps_help_that_is_said(tracklets: Tracklets) -> None:
    found = remedies(tracklets, asked(1_000, Rule("every")))
    assert found.complete
    assert not found.mildest
    assert found.sentence == "Even all steps together do not fulfil the rule."
    assert max(one.n_steps for one in found.tried[:-1]) == 1


def test_a_deadline_ends_the_search_and_says_so(tracklets: Tracklets) -> None:
    found = remedies(tracklets, asked(4, Rule("share", 0.8)), deadline=Deadline(1e-9))
    assert not found.complete
    assert "in time" in found.sentence
