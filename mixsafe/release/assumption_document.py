"""What audits of assumed sightings say: whom a few random sightings leave unprotected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mixsafe.documents.document import (
    Axis,
    Chart,
    Column,
    CriterionEvidence,
    Document,
    Fact,
    Panel,
    Series,
    Stands,
    Table,
)
from mixsafe.model.answer.next_steps import LIKELY
from mixsafe.model.answer.wording import count, plural, share
from mixsafe.model.question.requirement import Rule

Answer = Mapping[str, Any]

FOLLOWER_LIMIT = (
    "The follower who bets is one model: she weighs what tracks show when people were seen."
    " Somebody who knows homes, habits or exchanges is right more often."
)
"""Limit of every answer that says what a follower who bets on tracks finds."""

SHARES = {
    "unsafe": "people not protected",
    "named": "time for which a follower who bets is right, expected",
    "undecided": "people undecided",
    "unsafe_time": "time with fewer than k tracks",
    "undecided_time": "time in which that is undecided",
    "found": "people on one track only, at some time",
    "contradicted": "people whose sightings fit no track",
    "guess": "chance of a guess among a person's tracks",
}
"""Quantities of a draw of sightings that are shown with their spread."""

_EXCHANGES = {
    "zones": "pseudonyms are assumed to be exchanged wherever tracks meet",
    "none": "pseudonyms are assumed never to be exchanged",
}

_DRAWS = {
    "unsafe": "not protected",
    "unsafe_low": "from",
    "unsafe_high": "to",
    "undecided": "undecided",
    "unsafe_time": "time unsafe",
    "undecided_time": "time undecided",
    "named": "named right",
    "found": "found",
    "contradicted": "contradicted",
    "guess": "guess",
}
"""Shares of the table of draws, and their columns."""


def assumption_document(answer: Answer) -> Document:
    """The document of audits over many draws.

    Parameters
    ----------
    answer
        The question, the draws, and the spread of each share of :data:`SHARES`, as JSON has them.
    """
    draws = answer["draws"]
    return Document(
        title=f"Location privacy of {answer['name']}, seen from outside",
        word="By assumption",
        tone="plain",
        sentence=_sentence(answer),
        meaning=(
            f"The actual sightings are unknown. {plural(len(draws), 'time', 'times')}, sightings"
            " were drawn at random from reference traces, and the release was audited with them."
            f" Protected means at least k = {answer['k']} tracks by the rule '{answer['rule']}';"
            f" {_EXCHANGES[answer['exchange']]}."
        ),
        facts=tuple(_facts(answer)),
        parts=(shares_chart(answer), _spreads(answer), _draws(draws)),
        next_steps=("If the actual sightings are known, audit them with --knowledge seen.csv.",),
        limits=(
            FOLLOWER_LIMIT,
            "A reference of other days than the release stands for habits; people found by a habit"
            " may be found wrongly.",
        ),
        evidence=tuple(evidence(answer)),
    )


def _sentence(answer: Answer) -> str:
    """Whom the sightings leave unprotected, and how often bets are right: the worse first."""
    unsafe, named = answer["shares"]["unsafe"], answer["shares"]["named"]
    sightings = plural(answer["sightings_per_user"], "sighting", "sightings")
    counted = (
        f"An adversary with {sightings} of each person leaves {share(unsafe['mean'])} of the people"
        f" unprotected ({_interval(answer, 'unsafe')})."
    )
    bets = (
        f"A follower who bets, with {sightings} of each person, names the right track for"
        f" {share(named['mean'])} of the time (expected; {_interval(answer, 'named')})."
    )
    worse_first = (counted, bets) if unsafe["mean"] >= named["mean"] else (bets, counted)
    return " ".join(worse_first)


def _interval(answer: Answer, name: str) -> str:
    """The interval of the mean of a share over the draws."""
    if len(answer["draws"]) == 1:
        return "in a single draw"
    spread = answer["shares"][name]
    return f"95% interval {share(spread['low'])} to {share(spread['high'])}"


def _beliefs(draws: Sequence[Mapping[str, float]]) -> str:
    """What the beliefs of a follower rest on."""
    error, weighed = (_mean(draws, name) for name in ("named_error", "weighed"))
    said = "of people whose sightings fit, if these are right"
    if not all(draw["learned"] for draw in draws):
        said += "; there are too few fixes to learn from: in gaps, people are taken to be anywhere"
    if weighed < 1:
        said += f"; a sample of {share(weighed)} of the people is weighed"
    if error:
        said += f"; beliefs are of drawn stories, which are {error:.3f} off"
    return said


def _mean(draws: Sequence[Mapping[str, float]], name: str) -> float:
    """Mean of a share over the draws."""
    return sum(draw[name] for draw in draws) / max(len(draws), 1)


def _facts(answer: Answer) -> Iterator[Fact]:
    times = plural(answer["sightings_per_user"], "time", "times")
    yield Fact(
        "Adversary",
        "The adversary has the whole release and no secret table, and saw every person of the"
        f" reference traces {times}, at random times and at the places of the reference.",
    )
    yield Fact("Draws", len(answer["draws"]), "count")
    yield Fact("Asked", f"k = {answer['k']}, rule {answer['rule']}, exchange {answer['exchange']}")
    if answer["exchange"] == "zones":
        yield Fact(
            "Mix zones",
            "two or more published tracks that show one place in one time step; any exchange of"
            " their pseudonyms may have happened there, invisible to the adversary",
        )
    yield Fact("Beliefs", _beliefs(answer["draws"]))
    yield Fact("A guess among all tracks is right", answer["random_guess"], "share")
    if answer["shares"]["contradicted"]["most"] > 0:
        yield Fact(
            "Note",
            "Some sightings fit no track: the reference differs from the release (other days, or"
            " noise). Shares count these users as not found, and other users may be found wrongly.",
        )


def shares_chart(answer: Answer) -> Chart:
    """Each share in each draw, with the interval of its mean."""
    at: list[float] = []
    rows: list[float] = []
    ends: list[float | None] = []
    for row, name in enumerate(SHARES):
        # Shifted a little in turn, so that equal draws do not hide each other.
        shifted = [row + 0.12 * (number % 3 - 1) for number in range(len(answer["draws"]))]
        at, rows = at + [draw[name] for draw in answer["draws"]], rows + shifted
        spread = answer["shares"][name]
        ends += [spread["low"], spread["high"], None]
    between = [row if end is not None else None for row, end in zip(_thrice(), ends, strict=True)]
    intervals = [0.0 if end is None else end for end in ends]
    means = [answer["shares"][name]["mean"] for name in SHARES]
    guess = [answer["random_guess"]] * 2
    panel = Panel(
        (
            Series("a draw", "undecided", rows, at, "dots", size=4),
            Series("95% interval of the mean", "safe", between, intervals, size=5),
            Series("mean", "ink", list(range(len(SHARES))), means, "dots", size=5),
            Series("a guess among all tracks", "faint", (-0.5, len(SHARES) - 0.5), guess, "dashes"),
        ),
        Axis("share", low=-0.02, high=1.02),
        Axis(names=tuple(SHARES.values())),
    )
    return Chart(
        "Results of the draws", "shares", "Each share in each draw, and its mean.", (panel,)
    )


def _thrice() -> list[int]:
    """The row of each end of an interval, and of the gap behind it."""
    return [row for row in range(len(SHARES)) for _ in range(3)]


def _spreads(answer: Answer) -> Table:
    """The shares over all draws."""
    alone = len(answer["draws"]) == 1
    rows = []
    for name, words in SHARES.items():
        spread = answer["shares"][name]
        low, high = (None, None) if alone else (spread["low"], spread["high"])
        rows.append((words, spread["mean"], low, high, spread["least"], spread["most"]))
    names = ("mean", "from", "to", "least", "most")
    return Table(
        "Shares",
        "Means over the draws, with 95% bootstrap intervals",
        (Column("share", wide=True), *(Column(name, "share") for name in names)),
        rows,
    )


def _draws(draws: list[Mapping[str, float]]) -> Table:
    return Table(
        "Draws",
        "All draws, with Wilson intervals over people",
        (Column("draw", "count"), *(Column(name, "share") for name in _DRAWS.values())),
        [(number, *(draw[name] for name in _DRAWS)) for number, draw in enumerate(draws, 1)],
        pages_only=True,
    )


def evidence(answer: Answer) -> Iterator[CriterionEvidence]:
    """What an officer is told: who the adversary is, and what was found."""
    sightings, draws = answer["sightings_per_user"], len(answer["draws"])
    unsafe, undecided = answer["shares"]["unsafe"], answer["shares"]["undecided"]["mean"]
    named = answer["shares"]["named"]["mean"]
    times = plural(draws, "time", "times")
    yield CriterionEvidence(
        "adversary",
        (
            f"The adversary saw every person {plural(sightings, 'time', 'times')}. Which times is"
            f" not known: they were drawn at random from reference data, {times} over.",
        ),
    )
    rule = Rule.parse(answer["rule"]).words.replace("user", "person")
    against = unsafe["mean"] > 0 or named >= LIKELY
    stands: Stands = "speaks against" if against else "open" if undecided else "supports"
    yield CriterionEvidence(
        "testing",
        (
            f"With {plural(sightings, 'sighting', 'sightings')} of each person, drawn at random"
            f" {times}, {share(unsafe['mean'])} of the people are not protected on average"
            f" ({share(unsafe['low'])} to {share(unsafe['high'])} with 95% confidence), and for"
            f" {share(undecided)} it is undecided. A follower who bets on the likeliest track names"
            f" the right one for {share(named)} of the time (expected)."
            f" {share(answer['shares']['found']['mean'])} are"
            " found on one track only, at some time. A guess among all tracks is right in"
            f" {share(answer['random_guess'])} of the cases. Protected means at least"
            f" {count(answer['k'])} tracks by this rule: {rule}.",
        ),
        stands,
    )
