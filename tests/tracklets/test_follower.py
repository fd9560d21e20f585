"""A follower who bets: how often she is right, without truth and by it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.from_files.ride_models import read_ride_model
from mixsafe.io.gbfs.feed_writer import TRUTH, write_feed
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.course import Deadline
from mixsafe.model.question.requirement import Rule
from mixsafe.model.tracklets import Feed
from mixsafe.synthesize.sharing.shared_fleet import FleetSettings, shared_fleet
from mixsafe.tracklets.feed_numbers import feed_numbers
from mixsafe.tracklets.feeds import FeedAnswer, links
from mixsafe.tracklets.follower import Betting
from mixsafe.tracklets.linking import link
from mixsafe.tracklets.links_document import feed_document
from mixsafe.tracklets.remedies import coarser
from mixsafe.tracklets.ride_movement import RideModel
from mixsafe.tracklets.rules import LinkRules


def fleet(path: Path, seed: int = 1, vehicles: int = 150) -> Feed:
    """A day of a fleet whose truth is known."""
    settings = FleetSettings(vehicles=vehicles, days=1, area=vehicles / 40)
    write_feed(path / "feed.jsonl", shared_fleet(settings, seed=seed), truth=True)
    return read_feed(path / "feed.jsonl", truth=TRUTH)


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> FeedAnswer:
    """Of a day."""
    return links(fleet(tmp_path_factory.mktemp("fleet")), 2)


def test_a_follower_without_truth_names_most_rides_and_knows_how_many(answer: FeedAnswer) -> None:
    """Protects the first line of links: it must not be safer than this attack."""
    follower = answer.follower
    assert follower is not None
    assert follower.counted is not None
    assert follower.counted > 0.7
    low, high = follower.interval
    assert low <= follower.counted <= high
    assert follower.model.learned == "beliefs"
    ends = answer.followed.ends
    assert (ends.upper == 1).mean() < follower.counted


def test_beliefs_are_calibrated(answer: FeedAnswer) -> None:
    """Protects the meaning of a belief: of links believed so much, about so many are true."""
    follower = answer.follower
    assert follower is not None
    assert follower.true is not None
    belief = follower.marginals.belief
    for least, most in ((0.0, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 1.0)):
        these = (belief >= least) & (belief <= most)
        chance = float(np.sqrt((belief * (1 - belief))[these].sum()))
        assert np.count_nonzero(these) >= 30
        assert abs(float((belief - follower.true)[these].sum())) < 4 * chance + 5


def test_what_is_named_is_in_the_table(answer: FeedAnswer) -> None:
    """Protects the table: the named candidate is one that rules allow, with its belief."""
    table = answer.table
    assert table["belief"].between(0, 1).all()
    known = set(answer.feed.tracklets.ids.tolist())
    assert set(table["named"]) <= known
    assert (table["named"] != table["id"]).all()


def test_both_verdicts_are_needed(answer: FeedAnswer) -> None:
    """Protects the verdict: enough candidates are not enough if one of them is believed."""
    rule = Rule("share", 0.2)
    feed = answer.feed
    any_belief = links(feed, 2, rule=rule, betting=Betting(1.0))
    assert any_belief.followed.verdict is any_belief.verdict is Verdict.SAFE
    assert links(feed, 2, rule=Rule("share", 0.9), betting=Betting(0.5)).verdict is Verdict.UNSAFE


def test_few_rides_teach_nothing_and_that_is_said(tmp_path: Path) -> None:
    """Protects small feeds: no model is learned from a handful of rides, which decides nothing."""
    found = links(fleet(tmp_path, vehicles=8), 2)
    follower = found.follower
    assert follower is not None
    assert follower.model.learned == "nothing"
    assert "too few rides to learn from" in feed_document(found, "feed").sentence


def test_a_model_of_another_feed_is_read_from_its_answer(
    answer: FeedAnswer, tmp_path: Path
) -> None:
    """Protects learning from other data."""
    file = tmp_path / "other.json"
    file.write_text(json.dumps(feed_numbers(answer)))
    model = read_ride_model(file)
    feed = fleet(tmp_path, seed=2)
    found = links(feed, 2, betting=Betting(0.5, model)).follower
    assert found is not None
    assert found.model.learned == "other.json"
    assert found.counted is not None
    assert found.counted > 0.7
    file.write_text('{"results": []}')
    with pytest.raises(InputError, match="no movement model"):
        read_ride_model(file)


def test_a_model_that_looks_at_other_fields_is_refused(answer: FeedAnswer) -> None:
    """Protects from a model that would be used for fields that the feed does not have."""
    follower = answer.follower
    assert follower is not None
    feed = replace(answer.feed, tracklets=coarser(answer.feed.tracklets, drop=("range", "battery")))
    with pytest.raises(InputError, match="which this feed does not have"):
        links(feed, 2, betting=Betting(0.5, follower.model))


@pytest.mark.parametrize("limit", [0.0, -1.0, 1.5, float("nan")])
def test_a_belief_is_a_share(limit: float) -> None:
    """Protects from limits that mean nothing."""
    with pytest.raises(InputError, match="belief"):
        Betting(limit)


def test_learning_from_truth_needs_it(answer: FeedAnswer) -> None:
    """Protects from a model that is said to be learned from truth, and is not."""
    feed = replace(answer.feed, tracklets=replace(answer.feed.tracklets, truth=None))
    with pytest.raises(InputError, match="do not say which vehicle"):
        links(feed, 2, betting=Betting(0.5, "truth"))
    assert links(answer.feed, 2, betting=Betting(0.5, "truth")).verdict is Verdict.UNSAFE


@pytest.mark.parametrize(
    "said",
    [{}, {"goes_on": 2, "rides": 1, "tables": []}, {"goes_on": 0.5, "rides": 1, "tables": [{}]}],
)
def test_a_damaged_model_is_refused(said: dict[str, object]) -> None:
    """Protects from files that are something else."""
    with pytest.raises(InputError):
        RideModel.from_dict(said, "model.json")


def test_time_followed_grows_as_less_belief_is_asked(answer: FeedAnswer) -> None:
    """Protects times: with certainty, with 0.9, and with 0.5."""
    follower = answer.follower
    assert follower is not None
    sure, likely = follower.followed(0.9), follower.followed(0.5)
    assert 0 < sure.median <= likely.median
    assert sure.longest <= likely.longest
    alone = follower.time_of(np.full(len(answer.feed.tracklets), -1))
    assert alone.median <= sure.median


def test_whoever_has_no_time_to_bet_is_told_so_first(answer: FeedAnswer) -> None:
    """Protects from a first line that tells of candidates alone, as if nothing were likelier."""
    late = replace(answer, follower=None)
    assert late.verdict is not Verdict.SAFE
    sentence = feed_document(late, "feed").sentence
    assert sentence.startswith("In the time given, no follower who bets was tried.")


def test_a_model_of_another_feed_does_not_make_this_one_look_safer(answer: FeedAnswer) -> None:
    """Protects the interval: it holds what could be learned from the feed itself."""
    follower = answer.follower
    assert follower is not None
    assert follower.apart is not None
    knows_little = RideModel((), 0.5, "other.json", 100)
    found = links(answer.feed, 2, betting=Betting(0.5, knows_little)).follower
    assert found is not None
    assert found.expected < follower.expected
    assert found.interval[1] >= follower.apart


def test_the_likeliest_history_is_named_beside_the_likeliest_links(answer: FeedAnswer) -> None:
    """Protects the column: each candidate once, and about as often right as what is named."""
    follower, table = answer.follower, answer.table
    assert follower is not None
    assert follower.assigned is not None
    expected, right = follower.assigned
    assert follower.counted is not None
    assert right == pytest.approx(follower.counted, abs=0.1)
    assert expected <= follower.expected + 1e-9
    ends = table[(table["side"] == "end") & (table["assigned"] != "")]
    assert len(ends) == np.count_nonzero(follower.history >= 0)
    assert ends["assigned"].is_unique
    begins = table[(table["side"] == "begin") & (table["assigned"] != "")]
    there = set(zip(ends["id"], ends["assigned"], strict=True))
    assert there == set(zip(begins["assigned"], begins["id"], strict=True))
    facts = {fact.label: fact.value for fact in feed_document(answer, "feed").facts}
    assert "The likeliest history as a whole" in str(facts["Movement"])


def test_a_time_limit_ends_learning_and_betting(answer: FeedAnswer) -> None:
    """Protects time limits, and from beliefs of somebody who has not learned to the end."""
    tracklets, problem = answer.feed.tracklets, answer.followed.problem
    late = Betting().on(tracklets, problem, LinkRules(), deadline=Deadline(1e-9))
    assert late is None
    cut = links(answer.feed, 2, time_limit=1e-9, remedies=True)
    assert cut.follower is None
    assert cut.remedies is not None
    assert not cut.remedies.complete


def test_a_follower_looks_at_no_field_that_is_not_compared(answer: FeedAnswer) -> None:
    """Protects --fields: it asks what she finds without the others, as if they were not there."""
    tracklets = answer.feed.tracklets
    rules = LinkRules(fields=("type",))
    without = coarser(tracklets, drop=("battery", "range"))
    problem = link(tracklets, rules)
    followers = [Betting().on(one, problem, rules, quick=True) for one in (tracklets, without)]
    beliefs = [one.marginals.belief for one in followers if one is not None]
    assert beliefs[0].tolist() == beliefs[1].tolist()
