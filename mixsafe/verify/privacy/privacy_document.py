"""What an answer to "is everybody protected?" says, of a verification or of an audit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mixsafe.documents.atlas import Atlas
from mixsafe.documents.document import (
    WORDS,
    Axis,
    Chart,
    Column,
    CriterionEvidence,
    Document,
    Exposure,
    Fact,
    Map,
    Panel,
    Part,
    Series,
    Squares,
    Table,
    Text,
)
from mixsafe.model.answer.verdict import SAFE, UNDECIDED, UNSAFE, Verdict
from mixsafe.model.answer.wording import count, place_sentences, plural, share
from mixsafe.model.mobility.complete_traces import Regions
from mixsafe.model.mobility.time_axis import moment
from mixsafe.verify.privacy.decided import KNOWN
from mixsafe.verify.privacy.exposure import amounts, exposure, places
from mixsafe.verify.privacy.over_time import (
    KNOWN_COLOUR,
    KNOWN_WORDS,
    STRETCHES,
    Levels,
    one_person,
    runs,
    shares_over_time,
    stories,
    timeline,
)
from mixsafe.verify.privacy.privacy import PrivacyNumbers

PEOPLE = 5000
"""Number of people listed, at most; on the terminal alone, :data:`SHOWN`."""

SHOWN = 10
NAMED_ROWS = 20
"""Rows of a picture that have names, at most."""

EXPOSED_PLACES = 100
"""Places in the table of exposed places, at most."""

COMMON = (
    "Several candidates do not protect what they have in common: if every candidate goes to the"
    " same clinic, the visit is known."
)
PLACES = (
    "Candidates are at several places at the same time, but places are counted, not judged: two"
    " cells may be one building, and all of the places may be clinics."
)
LIMITS = (
    "Candidates are counted, not weighed. One of them may be far more plausible than the others,"
    " from a home, a habit or a speed.",
    "The adversary knows the sightings above and no others. With more sightings, an adversary may"
    " find more.",
)

_STANDING = {
    SAFE: ("protected", "safe"),
    UNDECIDED: ("undecided", "undecided"),
    UNSAFE: ("followed", "unsafe-1"),
    KNOWN: (KNOWN_WORDS, KNOWN_COLOUR),
}
"""Words and colour of a stretch of a person's time."""


@dataclass(frozen=True)
class Said:
    """What only a verification, or only an audit, says.

    Parameters
    ----------
    facts
        After those that both have.
    first
        Facts before those that both have: what a reader must not overlook.
    limits
        After those that both have.
    who
        People, or tracks, whose meetings are counted at places.
    adversary, zone
        Assumptions: paragraphs about the adversary, and the definition of a mix zone.
    evidence
        What is said on the officer's page.
    exposed
        Caption of the map of exposure, with a placeholder for the time at risk.
    helps, helps_share
        What the map shows as helpful, and what is said after its share.
    sentence
        The first one.
    parts
        After those that both have.
    assumed_on_pages_only
        Whether the terminal leaves the assumptions out.
    """

    facts: Sequence[Fact]
    limits: Sequence[str]
    who: str
    adversary: Sequence[str]
    zone: str
    evidence: Sequence[CriterionEvidence]
    exposed: str
    helps: str
    helps_share: str
    sentence: str
    parts: Sequence[Part] = ()
    first: Sequence[Fact] = ()
    assumed_on_pages_only: bool = True


def privacy_document(
    found: PrivacyNumbers,
    said: Said,
    atlas: Atlas | None,
    exposed: Mapping[str, Any] | None = None,
    *,
    pages: bool,
) -> Document:
    """The document of an answer.

    Parameters
    ----------
    atlas
        Where places are; None: unknown.
    exposed
        Numbers of the map of exposed places; None: those of the questions.
    pages
        With the parts that only pages show.
    """
    headline = found.headline
    parts: list[Part] = []
    if pages:
        parts += _pictures(found)
        parts += _exposure(exposed or exposure(found.questions, atlas), said)
        parts += _places(found, said, atlas)
        parts += _intervals(found, atlas)
    if len(found.users.user):
        parts.append(_people(found, PEOPLE if pages else SHOWN))
    parts += said.parts
    parts.append(_assumptions(found, said))
    if found.notes:
        parts.append(Text("Notes on the data", tuple(found.notes), pages_only=True))
    limits = [*LIMITS, PLACES if headline.asked.places > 1 else COMMON, *said.limits]
    return Document(
        title=f"Location privacy of {found.name}",
        word=WORDS[headline.verdict.value],
        tone=headline.verdict.value,
        sentence=said.sentence,
        meaning=_meaning(found),
        facts=(*said.first, *_facts(found), *said.facts),
        parts=tuple(parts),
        next_steps=tuple(found.next_steps),
        limits=tuple(limits),
        evidence=tuple(said.evidence),
    )


def _meaning(found: PrivacyNumbers) -> str:
    """The definition of protected."""
    asked = found.headline.asked
    k = "enough" if asked.k is None else f"{asked.k} or more"
    also = (
        f", and they are at {asked.places} or more places at that time" if asked.places > 1 else ""
    )
    fewer = "otherwise" if also else "with fewer"
    return (
        f"A person is protected at a time if {k} {asked.noun} are consistent with everything the"
        f" adversary knows{also}; {fewer}, the person can be followed. Safe and unsafe verdicts are"
        " proven; undecided claims nothing either way."
    )


def _facts(found: PrivacyNumbers) -> Iterator[Fact]:
    headline, rule = found.headline, found.headline.asked.rule
    yield Fact("Time", headline.exposure)
    yield Fact("Protected", round(headline.safe_share, 6), "share")
    default = " (default)" if rule.by_default else ""
    passing = ", ".join(
        f"{count(headline.counts[verdict])} {word}"
        for verdict, word in (
            (Verdict.SAFE, "pass"),
            (Verdict.UNSAFE, "fail"),
            (Verdict.UNDECIDED, "undecided"),
        )
    )
    yield Fact("Rule", f"'{rule}'{default}: {rule.words}. {passing}.")
    yield from (Fact("Places", sentence) for sentence in place_sentences(found.places))


def at_places(found: PrivacyNumbers) -> str:
    """The distinct places that are asked for, as a phrase; empty: none are."""
    least = found.headline.asked.places
    return f", at {least:,} or more places" if least > 1 else ""


def _people(found: PrivacyNumbers, most: int) -> Table:
    """Everybody, the least protected first."""
    noun, rows = found.headline.asked.noun, found.people(most)
    left = len(found.users.user) - len(rows)
    better = f"; {count(left)} better protected people are not listed" if left else ""
    met = [] if found.meetings is None else [Column("mix zones", "count")]
    return Table(
        "All people",
        f"People, the least protected first; fewest and most possible {noun}{better}",
        (
            Column("person", "name"),
            Column("protected for", "share"),
            Column(KNOWN_WORDS, "share"),
            Column("followed for", "share"),
            Column("undecided for", "share"),
            Column("by the rule", filter="By the rule"),
            Column("fewest", "count"),
            Column("most", "count"),
            *met,
        ),
        rows,
    )


def _assumptions(found: PrivacyNumbers, said: Said) -> Text:
    asked = found.headline.asked
    needed = "As many as each requirement asks for" if asked.k is None else f"{asked.k} or more"
    at = f", at {asked.places} or more places at that time" if asked.places > 1 else ""
    safe = f"Safe at a time: {needed} {asked.noun} are possible for the person{at}."
    lines = (*said.adversary, f"A mix zone: {said.zone}", safe)
    return Text("Assumptions", lines, said.assumed_on_pages_only)


def _pictures(found: PrivacyNumbers) -> Iterator[Chart]:
    """Protection of the most exposed person, of all people, and over time."""
    asked, worst = found.questions, found.headline.worst
    if not len(asked.row):
        return
    if worst is not None:
        yield _most_exposed(found, worst.number)
    levels = Levels.of(asked)
    yield _timeline(found, levels)
    yield _over_time(found, levels)


def _most_exposed(found: PrivacyNumbers, number: int) -> Chart:
    """The time of the person who can be followed for the largest part of it."""
    row = int(found.users.user[number])
    told, name = one_person(found.questions, row), str(found.names[row])
    series = [
        Series(
            words, colour, (0,) * len(ends[0]), look="spans", low=ends[0], high=ends[1], size=0.8
        )
        for code, (words, colour) in _STANDING.items()
        if (ends := told["stretches"].get(code)) is not None
    ]
    rows = [name]
    for label, what in (("meetings", "mix zones"), ("sightings", "seen")):
        if told[label]:
            at = (len(rows),) * len(told[label])
            series.append(Series("", "ink", at, told[label], "dots", size=4.0))
            rows.append(what)
    return Chart(
        "The most exposed person",
        "most-exposed",
        f"When {name} is protected, can be followed, or is known by assumption; below, when"
        f" {_who_meets(found)} a mix zone, and when the adversary saw the person.",
        (
            Panel(
                tuple(series), Axis(moments=told["moments"]), Axis(names=rows),
                height=1.1 + 0.35 * len(rows),
            ),
        ),
    )  # fmt: skip


def _who_meets(found: PrivacyNumbers) -> str:
    tracks = found.headline.asked.noun == "tracks"
    return "a track that can be the person's is in" if tracks else "the person is in"


def _timeline(found: PrivacyNumbers, levels: Levels) -> Chart:
    """A row per person or band of people, a column per moment."""
    noun = found.headline.asked.noun
    line = timeline(found.questions, levels, found.users.user[found.order])
    level = np.array(line["level"], np.int8)
    series = []
    for code, (name, colour) in enumerate(zip(levels.names, levels.colours, strict=True)):
        row, begin, end = runs(level, code)
        if row:
            series.append(Series(name, colour, row, look="spans", low=begin, high=end, size=1.0))
    names = line["bands"]
    if len(names) > NAMED_ROWS:
        names = ["least protected", *[""] * (len(names) - 2), "best protected"]
    band = (
        "Each row is one person"
        if line["per_band"] == 1
        else f"Each row is the median of {line['per_band']} people with similar protection"
    )
    column = "each column one time step"
    if line["every"] > 1:
        column = f"each column one of {len(line['moments'])} moments, evenly spread"
    blank = " Blank: nothing of the person is published then." if _has_gaps(found) else ""
    return Chart(
        "Who is protected, and when",
        "timeline",
        f"{band}, {column}. The colour is the number of {noun} proven possible; more is better. The"
        f" least protected people are on top.{blank}",
        (
            Panel(
                tuple(series), Axis(moments=line["moments"]), Axis(names=names),
                height=1.4 + min(4.2, 0.25 * len(names)), legend=f"possible {noun}",
            ),
        ),
    )  # fmt: skip


def _has_gaps(found: PrivacyNumbers) -> bool:
    return found.headline.asked.noun == "pseudonyms" and found.headline.without_data > 0


def _over_time(found: PrivacyNumbers, levels: Levels) -> Chart:
    """Shares of people upon each other, the safe ones at the bottom."""
    noun, over = found.headline.asked.noun, shares_over_time(found.questions, levels)
    series, bottom = [], np.zeros(len(over["from"]))
    for name, colour, part in zip(
        levels.names[::-1], levels.colours[::-1], over["share"][::-1], strict=True
    ):
        if any(part):
            base = bottom.round(4).tolist()
            series.append(Series(name, colour, part, look="bars", bottom=base))
        bottom = bottom + part
    with_data = " with data at that time" if _has_gaps(found) else ""
    return Chart(
        "How many people are protected",
        "over-time",
        f"Share of the people{with_data} by their number of possible {noun}.",
        (
            Panel(
                tuple(series), Axis(moments=over["from"]),
                Axis("share of people", low=0, high=1), height=3.2, legend=f"possible {noun}",
            ),
        ),
    )  # fmt: skip


def _intervals(found: PrivacyNumbers, atlas: Atlas | None) -> Iterator[Table]:
    """Intervals of the least protected people, with their candidates."""
    noun = found.headline.asked.noun
    people = stories(found.questions, found.users.user[found.order], atlas)
    if not people:
        return
    with_meetings = found.meetings is not None
    rows = []
    for story in people:
        for part in story["stretches"]:
            row = [
                story["user"], part["from"], part["to"], part["verdict"],
                _bounds(part), _candidates(part),
            ]  # fmt: skip
            rows.append([*row, *([_meeting(part)] if with_meetings else [])])
    shown, all_ = len(rows), sum(story["all"] for story in people)
    some = (
        f" {count(shown)} of {count(all_)} intervals: of a person with more than {STRETCHES}, the"
        " longest, unsafe ones preferred."
        if shown < all_
        else ""
    )
    yield Table(
        "The least protected people",
        f"Intervals of {plural(len(people), 'person', 'people')}, in order of time.{some}",
        (
            Column("person", "name", filter="Person"),
            Column("from", "moment"),
            Column("to", "moment"),
            Column("verdict", "verdict", filter="Verdict"),
            Column(noun),
            Column("candidates at its start", wide=True),
            *([Column("since the meeting", wide=True)] if with_meetings else []),
        ),
        rows,
        pages_only=True,
    )


def _bounds(part: Mapping[str, Any]) -> str:
    """A proven number of candidates: exact, at least, or between two."""
    lower, upper = part["lower"], part["upper"]
    if lower == upper:
        return f"{lower:,}"
    return f"{lower:,} or more" if part["verdict"] == "safe" else f"{lower:,} to {upper:,}"


def _candidates(part: Mapping[str, Any]) -> str:
    """Names of candidates, and how many more there are."""
    perhaps = part.get("perhaps", 0)
    if not part["candidates"]:
        return f"none proven; perhaps {count(perhaps)}" if perhaps else "not known"
    also = f"; perhaps {count(perhaps)} more" if perhaps else ""
    return _listed(part["candidates"], part["more"]) + also


def _listed(names: Sequence[str], more: int) -> str:
    return ", ".join(names) + (f" and {count(more)} more" if more else "")


def _meeting(part: Mapping[str, Any]) -> str:
    """When, where and of whom the meeting was with which an interval begins."""
    met = part["meeting"]
    if met is None:
        return "none before"
    when = "" if met["time"] == part["from"] else f"at {moment(met['time'])}, "
    where = "" if met["place"] is None else f"{met['place']}, "
    return f"{when}{where}of {_listed(met['people'], met['more'])}"


def _places(found: PrivacyNumbers, said: Said, atlas: Atlas | None) -> Iterator[Part]:
    """Where people mix: a map, and a table with the same content."""
    shown = places(found.questions, atlas, found.weight)
    if shown is None:
        return
    drawn = any(one is not None for one in shown["x"] or ())
    if drawn:
        yield _map_of_zones(shown, said.who)
    left = shown["other"]["places"]
    further = f"; {plural(left, 'further place', 'further places')} not listed" if left else ""
    columns = (shown[name] for name in ("name", "people", "zones", "safe"))
    no_map = "There is no map: the positions of these places are unknown."
    yield Table(
        "Places of mix zones",
        f"Places of mix zones, those with most safety first{further}",
        (
            Column("region" if shown["unit"] == "regions" else "place"),
            Column(said.who, "count"),
            Column("meetings", "count"),
            Column(shown["meaning"], "share"),
        ),
        list(zip(*columns, strict=True)),
        text=() if drawn else (no_map,),
        pages_only=True,
    )


def _map_of_zones(shown: Mapping[str, Any], who: str) -> Chart:
    """A disc for each place, the large ones first so that none hides another."""
    names, code = amounts(shown["safe"])
    x, y, people = (np.array(shown[name], float) for name in ("x", "y", "people"))
    size = np.sqrt(16 + 700 * people / max(people.max(), 1))
    order = np.argsort(-size, kind="stable")
    series = []
    for rank, name in enumerate(names):
        those = order[(code[order] == rank) & ~np.isnan(x[order])]
        if len(those):
            east, north, discs = (
                values[those].round(3).tolist() for values in (x, y, size)
            )  # fmt: skip
            series.append(Series(name, f"amount-{rank}", north, east, "discs", size=discs))
    unit, side = shown["unit"], Regions.of_contest().columns
    low, high = (-0.8, side - 0.2) if unit == "regions" else (None, None)
    left = shown["other"]["places"]
    more = f" {plural(left, 'place', 'places')} not drawn." if left else ""
    return Chart(
        "Where people mix",
        "zones",
        f"{shown['words']} The larger a disc, the more {who} meet there (at most"
        f" {count(int(people.max()))}); and the stronger its colour, the higher the value:"
        f" {shown['meaning']}.{more}",
        (
            Panel(
                tuple(series),
                Axis(f"west to east ({unit})", low=low, high=high),
                Axis(f"south to north ({unit})", low=low, high=high),
                height=6.0, equal=True, legend=shown["meaning"],
            ),
        ),
    )  # fmt: skip


def _exposure(shown: Mapping[str, Any] | None, said: Said) -> Iterator[Part]:
    """Where people are exposed: a map that readers can move, and a table with the same content."""
    if not shown or not shown["name"]:
        return
    seconds, ground = shown["step_seconds"], shown["background"]
    yield Map(
        "Where people are exposed",
        shown["side"],
        shown["x"],
        shown["y"],
        shown["name"],
        [sum(risk) for risk in shown["risk"]],
        text=tuple(_exposed(shown, said)),
        unit=shown["unit"],
        outlines=shown["outline"] or (),
        background=None
        if ground is None
        else Squares(ground["side"], ground["x"], ground["y"], ground["steps"]),
        exposure=Exposure(
            shown["slots"],
            "Time steps" if seconds is None else "Time of the day",
            seconds,
            shown["risk"],
            shown["present"],
            shown["safe"],
            said.helps,
            said.helps_share,
        ),
    )
    yield _exposed_places(shown, said)


def _exposed(shown: Mapping[str, Any], said: Said) -> Iterator[str]:
    """Caption: what the map shows, and what it leaves out."""
    risk = sum(map(sum, shown["risk"]))
    yield said.exposed.format(long(risk, shown["step_seconds"]))
    left, other = [], shown["other"]
    if shown["elsewhere"] > 0:
        left.append(
            f"{share(shown['elsewhere'])} of the time at risk people are nowhere: they have no fix"
            " then"
        )
    if other["places"]:
        left.append(
            f"{plural(other['places'], 'place has', 'places have')} no mark, with"
            f" {share(other['risk'])} of the time at risk"
        )
    if left:
        yield f"{'; '.join(left)}."


def long(steps: int, step_seconds: int | None) -> str:
    """A time of people, in hours or steps; below an hour as the map has it."""
    if step_seconds is None:
        return plural(steps, "step", "steps")
    seconds = steps * step_seconds
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{round(seconds / 60)} min"
    hours = seconds / 3600
    return f"{hours:,.1f} hours" if hours < 100 else f"{hours:,.0f} hours"


def _risk_column(steps: Sequence[int], step_seconds: int | None) -> tuple[Column, Sequence[float]]:
    """Times at risk: in hours, in minutes where all are below an hour, or in steps."""
    if step_seconds is None:
        return Column("steps at risk", "count"), steps
    if max(steps, default=0) * step_seconds < 3600:
        minutes = [round(number * step_seconds / 60, 1) for number in steps]
        return Column("time at risk", "minutes"), minutes
    return Column("hours at risk", "count"), [
        round(number * step_seconds / 3600, 1) for number in steps
    ]


def _exposed_places(shown: Mapping[str, Any], said: Said) -> Table:
    """The places with most time at risk."""
    columns = [shown[name][:EXPOSED_PLACES] for name in ("name", "risk", "present", "safe")]
    at_risk, times = _risk_column([sum(risk) for risk in columns[1]], shown["step_seconds"])
    rows = [
        (
            name,
            time,
            sum(risk) / max(sum(present), 1),
            shown["slots"][risk.index(max(risk))] if any(risk) else "never",
            helps,
        )
        for time, name, risk, present, helps in zip(times, *columns, strict=True)
    ]
    left = len(shown["name"]) - len(rows)
    return Table(
        "Exposed places",
        "Places with most time at risk" + (f"; {count(left)} more are on the map" if left else ""),
        (
            Column("place" if shown["unit"] == "metres" else "region"),
            at_risk,
            Column("of the time there", "share"),
            Column("most of it"),
            Column(f"share {said.helps_share}", "share"),
        ),
        rows,
        pages_only=True,
    )
