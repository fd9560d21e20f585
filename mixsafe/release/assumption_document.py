"""What audits of assumed sightings say: whom a few random sightings leave unprotected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
from mixsafe.model.answer.wording import count, plural, share
from mixsafe.model.question.requirement import Rule

Answer = Mapping[str, Any]

SHARES = {
    "unsafe": "people not protected",
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
    shares, draws = answer["shares"], answer["draws"]
    unsafe, interval = shares["unsafe"], "in a single draw"
    if len(draws) > 1:
        interval = f"95% interval {share(unsafe['low'])} to {share(unsafe['high'])}"
    sightings = plural(answer["sightings_per_user"], "sighting", "sightings")
    return Document(
        title=f"Location privacy of {answer['name']}, seen from outside",
        word="By assumption",
        tone="plain",
        sentence=(
            f"An adversary with {sightings} of each person leaves {share(unsafe['mean'])} of the"
            f" people unprotected ({interval})."
        ),
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
            "Tracks are counted, not weighed.",
            "A reference of other days than the release stands for habits; people found by a habit"
            " may be found wrongly.",
        ),
        evidence=tuple(evidence(answer)),
    )


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
    times = plural(draws, "time", "times")
    yield CriterionEvidence(
        "adversary",
        (
            f"The adversary saw every person {plural(sightings, 'time', 'times')}. Which times is"
            f" not known: they were drawn at random from reference data, {times} over.",
        ),
    )
    rule = Rule.parse(answer["rule"]).words.replace("user", "person")
    stands: Stands = "speaks against" if unsafe["mean"] else "open" if undecided else "supports"
    yield CriterionEvidence(
        "testing",
        (
            f"With {plural(sightings, 'sighting', 'sightings')} of each person, drawn at random"
            f" {times}, {share(unsafe['mean'])} of the people are not protected on average"
            f" ({share(unsafe['low'])} to {share(unsafe['high'])} with 95% confidence), and for"
            f" {share(undecided)} it is undecided. {share(answer['shares']['found']['mean'])} are"
            " found on one track only, at some time. A guess among all tracks is right in"
            f" {share(answer['random_guess'])} of the cases. Protected means at least"
            f" {count(answer['k'])} tracks by this rule: {rule}.",
        ),
        stands,
    )
