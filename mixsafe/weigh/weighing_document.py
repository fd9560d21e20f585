"""What a weighing says: how often a bet on the likeliest candidate is right.

It shows posteriors by time, by person and by place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.documents.atlas import PLACES, Atlas, Context, place_names, ranks_in
from mixsafe.documents.document import (
    Axis,
    Chart,
    Column,
    CriterionEvidence,
    Document,
    Fact,
    Panel,
    Series,
    Table,
)
from mixsafe.documents.stretches import time_in_columns
from mixsafe.model.answer.time_followed import times_sentence
from mixsafe.model.answer.wording import count, listed, plural, share
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.weigh.exchange_models import ByMovement
from mixsafe.weigh.times_followed import times_followed
from mixsafe.weigh.weighed import LIKELY, SETTLED, WeighedRows
from mixsafe.weigh.weighing import Weighing
from mixsafe.weigh.whose_tracks import TrackWeighing

Floats = npt.NDArray[np.float64]

PEOPLE = 500
"""Number of people listed, at most."""

_COLUMNS = 120  # stretches of time, at most
_MANY = 3  # candidates that are many enough for a likely one among them to be worth telling

LIMITS = (
    "Sampled values are estimates with an interval and are never called safe. Times that have not"
    " settled are left out; their share is given.",
    "Exchanges follow the exchange model independently; habits, homes and speeds are not weighed.",
)

MOVEMENT_LIMITS = (
    LIMITS[0],
    "Exchanges follow the exchange model independently. Likelihoods of movement are learned from"
    " the fixes around mix zones; an adversary with a better model finds more. Habits and homes are"
    " not weighed.",
)


def over_time(zones: MixZones, rows: WeighedRows, bet: float) -> dict[str, Any]:
    """Means over all people with data in each stretch of time."""
    steps = zones.axis.steps
    edges = np.linspace(0, steps, min(_COLUMNS, steps) + 1).round().astype(np.int64)
    found, known = rows.found, rows.found.settled
    best = np.where(known, found.best, 0.0)
    columns = {
        "best": best,
        "counted": np.where(known, 1.0 / found.proven, 0.0),
        "bet_on": (known & (best > bet)).astype(float),
        "settled": known.astype(float),
    }
    sums = {name: _summed(zones, rows, values, edges) for name, values in columns.items()}
    settled = np.maximum(sums["settled"], 1e-12)
    people = np.maximum(_summed(zones, rows, np.ones(len(best)), edges), 1)
    return {
        "moments": [zones.axis.label(int(step) + 1) for step in edges[:-1]],
        **{name: _rounded(sums[name] / settled) for name in ("best", "counted", "bet_on")},
        "not_settled": _rounded(1 - sums["settled"] / people),
    }


def _summed(
    zones: MixZones, rows: WeighedRows, values: Floats, edges: npt.NDArray[np.int64]
) -> Floats:
    """Sum of ``values`` over wires and published steps, in each stretch."""
    steps = zones.axis.steps
    if zones.published is not None:
        found = np.zeros(len(edges) - 1)
        for wire, column, weight in time_in_columns(zones, rows.user, rows.start, rows.end, edges):
            found += np.bincount(column, weight * values[wire], len(found))
        return found
    change = np.zeros(steps + 2)
    held = rows.weight > 0  # wires of nothing but the moment before the first step
    np.add.at(change, np.maximum(rows.start[held], 1), values[held])
    np.add.at(change, rows.end[held] + 1, -values[held])
    each = np.cumsum(change)[1 : steps + 1]
    return np.asarray(np.add.reduceat(each, edges[:-1]), np.float64)


def people(zones: MixZones, rows: WeighedRows, bet: float) -> dict[str, Any]:
    """People who have many candidates but one likely, the worst first."""
    found, n = rows.found, zones.n_users
    known = found.settled
    steps = rows.weight.astype(np.float64)
    best = np.where(known, found.best, 0.0)
    fooled = known & (best > bet) & (found.proven >= _MANY)

    def of_users(values: Floats) -> Floats:
        return np.asarray(np.bincount(rows.user, values, n), np.float64)

    total = np.maximum(of_users(steps), 1)
    settled = np.maximum(of_users(steps * known), 1e-12)
    share, mean = of_users(steps * fooled) / total, of_users(steps * best) / settled
    highest = np.zeros(n)
    counts = fooled & (rows.weight > 0)
    np.maximum.at(highest, rows.user[counts], best[counts])
    order = np.lexsort((np.arange(n), -mean, -share))[:PEOPLE]
    return {
        "user": [str(one) for one in zones.users[order].tolist()],
        "share": _rounded(share[order]),
        "highest": _rounded(highest[order]),
        "mean": _rounded(mean[order]),
        "not_settled": _rounded((of_users(steps * ~known) / total)[order]),
        "fooled": int(np.count_nonzero(share > 0)),
        "of": n,
    }


def places(zones: MixZones, rows: WeighedRows, bet: float) -> dict[str, Any] | None:
    """Probability of the likeliest candidate after meetings by place; None: places are unknown."""
    crowds = zones.crowds
    if zones.place is None or crowds is None or not len(zones):
        return None
    known, n_zones, leaving, _ = crowds
    key = rows.user.astype(np.int64) * (zones.axis.steps + 2) + rows.start
    zone = zones.zone_of_member
    wire = np.searchsorted(
        key, zones.members.astype(np.int64) * (zones.axis.steps + 2) + zones.time[zone]
    )
    settled, best = rows.found.settled[wire], np.nan_to_num(rows.found.best[wire])
    at = ranks_in(known, zones.place)[zone]

    def of_places(values: npt.NDArray[Any]) -> Floats:
        return np.asarray(np.bincount(at, values, len(known)), np.float64)

    counted = np.maximum(of_places(settled), 1e-12)
    mean, likely = of_places(best) / counted, of_places(settled & (best > bet)) / counted
    order = np.lexsort((known, -of_places(settled & (best > bet))))[:PLACES]
    return {
        "place": known[order],
        "zones": n_zones[order].tolist(),
        "leaving": leaving[order].tolist(),
        "mean": _rounded(mean[order]),
        "likely": _rounded(likely[order]),
        "of": len(known),
    }


def _rounded(values: Floats) -> list[float]:
    """Shares, as JSON holds them."""
    return [round(float(value), 6) for value in values]


def of_tracks(answer: TrackWeighing) -> dict[str, Any]:
    """Tracks and their likely users: over time, and by person.

    Parameters
    ----------
    answer
        What was found.
    """
    axis, steps, users = answer.evidence.zones.axis, answer.steps, answer.evidence.users
    shape = (len(users), len(steps))
    known = answer.found.settled.reshape(shape)
    best = np.where(known, answer.found.best.reshape(shape), 0.0)
    edges = np.linspace(0, axis.steps, min(_COLUMNS, axis.steps) + 1).round().astype(np.int64)
    each = np.repeat(np.arange(len(steps)), np.maximum(steps, 0))  # a number per step of the data
    settled = np.add.reduceat(known.sum(axis=0)[each].astype(float), edges[:-1])
    right = np.add.reduceat(best.sum(axis=0)[each], edges[:-1])
    held = np.maximum(steps, 0).astype(float)
    share = (known * held).sum(axis=1) / held.sum()
    mean = (best * held).sum(axis=1) / np.maximum((known * held).sum(axis=1), 1e-12)
    highest = (best * (held > 0)).max(axis=1)
    order = np.lexsort((np.arange(len(users)), -mean))[:PEOPLE]
    return {
        "over_time": {
            "moments": [axis.label(int(step) + 1) for step in edges[:-1]],
            "best": _rounded_or_none(right, settled),
            "not_settled": _rounded(1 - settled / (len(users) * np.diff(edges))),
        },
        "people": {
            "user": [str(one) for one in np.asarray(users)[order].tolist()],
            "mean": _rounded_or_none((mean * share)[order], share[order]),
            "highest": _rounded_or_none((highest * share)[order], share[order]),
            "not_settled": _rounded(1 - share[order]),
            "of": len(users),
        },
    }


def _rounded_or_none(part: Floats, whole: Floats) -> list[float | None]:
    """Shares as JSON values; None: undefined."""
    return [
        round(one / of, 6) if of > 0 else None
        for one, of in zip(part.tolist(), whole.tolist(), strict=True)
    ]


def weighing_document(answer: Weighing, context: Context, *, pages: bool = True) -> Document:
    """The document of a weighing.

    Parameters
    ----------
    pages
        With the parts that only pages show.
    """
    found = answer.summary
    right = found["follower_right"]
    known = found["settled"] and right is not None
    parts: list[Table | Chart] = [_levels(found["levels"])]
    if pages:
        parts += _for_pages(answer, context.atlas)
    return Document(
        title=f"Weighed candidates: {answer.problem.name}",
        word="Weighed" if known else "Not settled",
        tone="plain" if known else "undecided",
        sentence=(
            unsettled(found, answer.seconds)
            + _always_drawn(found)
            + _sentence(found)
            + _with_movement(found)
        ).strip(),
        meaning=(
            "For every person and time, the adversary bets on the likeliest pseudonym; the share"
            " says how often the bet is right. The number of candidates alone does not say how"
            " likely each is."
        ),
        facts=tuple(_facts(answer, context)),
        parts=tuple(parts),
        next_steps=() if known else ("A longer --time-limit may settle more.",),
        limits=LIMITS if answer.before is None else MOVEMENT_LIMITS,
        evidence=tuple(evidence(found)),
    )


def unsettled(found: Mapping[str, Any], seconds: float | None) -> str:
    """A sentence about unsettled time, if too much of it is; empty otherwise.

    Parameters
    ----------
    found
        ``settled``, ``times_as_long`` and ``share_not_settled``.
    seconds
        Duration so far; None: unknown.
    """
    if found["settled"]:
        return ""
    times, longer = found["times_as_long"], "much longer"
    if times is not None:
        longer = f"about {times:,.0f} times as long" if times >= 2 else "somewhat longer"
        if seconds is not None:
            limit = max(1, round(seconds * times, -1 if times > 2 else 0))
            longer += f" (--time-limit {limit:.0f})"
    missing = share(found["share_not_settled"])
    return (
        f"{missing} of people's time is not settled ({1 - SETTLED:.0%} may be): how often a bet is"
        f" right there is not known. Weigh {longer}. "
    )


def time_of(found: Mapping[str, Any]) -> str:
    """The time that a share refers to."""
    missing = found["share_not_settled"]
    return f"the settled {share(1 - missing)} of people's time" if missing else "people's time"


def _sentence(found: Mapping[str, Any]) -> str:
    """How often bets are right; empty where nothing settled."""
    right, counting = found["follower_right"], found["counting_says"]
    if right is None or counting is None:
        return ""
    sentence = (
        f"Betting on the likeliest pseudonym is right {share(right)} of {time_of(found)}; the"
        f" number of candidates alone suggests {share(counting)}."
    )
    at_place = found.get("places", {}).get("share_right")
    if at_place is not None:
        sentence += f" Betting on the likeliest place is right {share(at_place)} of the time."
    return sentence


def _always_drawn(found: Mapping[str, Any]) -> str:
    """How much time draws could not settle because a bet is nearly certain; empty: none."""
    always = found.get("movement", {}).get("share_always_drawn")
    if not always:
        return ""
    return (
        f"In {share(always)} of the time every draw has the same pseudonym. That is not settled,"
        " because draws cannot prove it, but by the model a bet there is hardly ever wrong. "
    )


def _with_movement(found: Mapping[str, Any]) -> str:
    """How much movement gives away, in truth first; empty: it is not weighed, or not known."""
    found = found.get("movement", {})
    right, without = found.get("follower_right"), found.get("without")
    if right is None or without is None:
        return ""
    part = found["share_compared"]
    where = "" if part == 1 else f" (over the {share(part)} of time that both settle)"
    return (
        f" Movement is weighed: in truth, {share(found['right_in_truth'])} of the bets are right;"
        f" the adversary expects {share(right)}, and without movement {share(without)}{where}."
    )


def _facts(answer: Weighing, context: Context) -> Iterator[Fact]:
    found, zones = answer.summary, answer.problem.zones
    times = {key: time._asdict() for key, time in times_followed(zones, answer.rows).items()}
    unit = "" if zones.axis.timed else "steps"
    left_out = found["share_not_settled"]
    since = f"from any moment on{' (in time that is not settled nobody is)' if left_out else ''}"
    yield Fact("Followed", times_sentence(times, since, unit))
    sightings = plural(len(answer.problem.knowledge), "sighting", "sightings")
    read = answer.problem.knowledge.reading_words
    yield Fact("Adversary", f"{context.adversary} ({sightings}{read and '; '}{read})")
    yield Fact("Data", context.data(answer.problem.zones))
    yield Fact("Exchanges", _exchanges(answer))
    methods = (
        ("alone", "with one possible pseudonym"),
        ("counted", "counted, exact"),
        ("sampled", "sampled, with an interval"),
        ("not settled", "not settled"),
    )
    by_method = "; ".join(f"{count(found[name])} {words}" for name, words in methods)
    yield Fact("Wires", f"{count(found['wires'])}: {by_method}")
    if found["median_effective"] is not None:
        yield Fact("Effective candidates, median", found["median_effective"], "count")
    if found["share_bet_on"]:
        yield Fact(
            "Bets",
            f"a candidate above {found['bet']:g} for {share(found['share_bet_on'])} of the time,"
            f" right {share(found['bets_right'])} (by counting candidates,"
            f" {share(found['counting_says_of_bets'])})",
        )
    yield Fact("Decision", round(answer.seconds, 3), "seconds")


def _exchanges(answer: Weighing) -> str:
    """The exchange model in words."""
    model = answer.model
    by_movement = isinstance(model, ByMovement)
    law = model.law if isinstance(model, ByMovement) else model
    happen = "all happen" if law.is_uniform else "as --exchange says"
    if not by_movement:
        return f"{happen}, all permutations equally likely" if law.is_uniform else happen
    likelihoods = answer.problem.zones.likelihoods
    if likelihoods is not None and not likelihoods.learned:
        how = "a normal distribution of ways, because there were too few to learn from"
    else:
        how = "movement, as learned from the fixes around mix zones"
    return f"{happen}; permutations weighed by {how}"


def _levels(levels: list[dict[str, Any]]) -> Table:
    """Wires with a likely candidate, by their number of candidates."""
    above = [f"above_{likely:g}" for likely in LIKELY]
    return Table(
        "Likely candidates among many",
        "Wires: intervals of a person between two meetings",
        (
            Column("candidates proven, at least", "count"),
            Column("wires", "count"),
            *(Column(f"best guess above {likely:g}", "count") for likely in LIKELY),
            Column("not settled", "count"),
        ),
        [[level[name] for name in ("k", "wires", *above, "not_settled")] for level in levels],
    )


def _for_pages(answer: Weighing, atlas: Atlas | None) -> Iterator[Table | Chart]:
    zones, rows, bet = answer.problem.zones, answer.rows, answer.bet
    shares = over_time(zones, rows, bet)
    yield chart_over_time(
        "weights-over-time",
        "Share of right bets on the likeliest candidate, compared with one over the number of"
        " candidates.",
        shares["moments"],
        (
            Series("right, betting on the likeliest", "unsafe-1", shares["best"]),
            Series("one over the number of candidates", "ink", shares["counted"], look="dashes"),
            Series(f"people with a candidate above {bet:g}", "safe", shares["bet_on"]),
        ),
    )
    yield _people(people(zones, rows, bet))
    by_place = places(zones, rows, bet)
    if by_place:
        yield _places(by_place, atlas)


def chart_over_time(
    name: str, caption: str, moments: list[str | int], series: tuple[Series, ...]
) -> Chart:
    """Shares of people over time."""
    time = Axis(moments=moments)
    return Chart(
        "Over time", name, caption, (Panel(series, time, Axis("share of people", low=0, high=1)),)
    )


def _people(people: Mapping[str, Any]) -> Table:
    names = ("user", "share", "highest", "mean", "not_settled")
    fooled = f"{count(people['fooled'])} of {plural(people['of'], 'person', 'people')}"
    return Table(
        "People with many candidates but one likely",
        f"With such a time: {fooled}; the worst first",
        (
            Column("person", "name"),
            Column("time with 3 or more candidates and one likely", "share"),
            Column("likeliest then, at most", "share"),
            Column("best guess, mean", "share"),
            Column("not settled", "share"),
        ),
        list(zip(*(people[name] for name in names), strict=True)),
        pages_only=True,
    )


def _places(places: Mapping[str, Any], atlas: Atlas | None) -> Table:
    columns = (places[name] for name in ("zones", "leaving", "likely", "mean"))
    names = place_names(places["place"], atlas)
    return Table(
        "Places",
        listed(len(names), places["of"], "place", "places"),
        (
            Column("place"),
            Column("mix zones", "count"),
            Column("departures", "count"),
            Column("departures with a likely candidate", "share"),
            Column("best guess then, mean", "share"),
        ),
        list(zip(names, *columns, strict=True)),
        text=() if atlas is None or atlas.words is None else (atlas.words,),
        pages_only=True,
    )


def evidence(found: Mapping[str, Any]) -> Iterator[CriterionEvidence]:
    """What an officer is told: the average, where people are, and where numbers mislead."""
    right, counting = found["follower_right"], found["counting_says"]
    if right is None:
        return
    sentence = (
        "Average, with chances. An adversary who bets on the likeliest pseudonym is right for"
        f" {share(right)} of people's time. By counting candidates alone it would be"
        f" {share(counting)}."
    )
    if found["median_effective"] is not None:
        sentence += (
            " Half of the time, a person is hidden as if among"
            f" {count(found['median_effective'])} or more equally likely candidates."
        )
    if found["share_not_settled"]:
        missing = share(found["share_not_settled"])
        sentence += f" {missing} of the time could not be settled and is left out."
    yield CriterionEvidence("singling_out", (sentence,))
    at_place = found.get("places", {}).get("share_right")
    if at_place is not None:
        sentence = (
            f"An adversary who bets on the likeliest place is right for {share(at_place)} of"
            " people's time that could be settled."
        )
        yield CriterionEvidence("inference", (sentence,))
    sentence = (
        "Where one candidate is much likelier than the others, their number protects little. For"
        f" {share(found['share_bet_on'])} of people's time some candidate has a chance above"
        f" {share(found['bet'])}"
    )
    if found["bets_right"] is not None:
        sentence += f"; a bet on it is right in {share(found['bets_right'])} of the cases"
    yield CriterionEvidence("residual", (f"{sentence}.",))
