"""What breaking numbers say: how many further sightings break whom, and where these are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mixsafe.breaking.breaking_answer import BreakingNumbers
from mixsafe.documents.atlas import Atlas, Context, place_names
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
    Value,
)
from mixsafe.model.answer.wording import count, plural, share
from mixsafe.model.mobility.traces import Positions

_SHOWN = 50
"""Targets that are listed, those first that break first."""

NAMES = 50
"""Names that an officer is told, at most."""

_WHOSE = {"self": "Of the person", "anybody": "Of anybody"}
"""Whose sightings count, as ``--sightings`` says it."""

Row = Mapping[str, Any]


def with_places(
    result: dict[str, Any], answer: BreakingNumbers, atlas: Atlas | None
) -> dict[str, Any]:
    """The dict of :meth:`BreakingNumbers.to_dict`, with places.

    Parameters
    ----------
    result
        The dict.
    answer
        The answer that it was made of.
    atlas
        Positions of people; None: unknown.

    Returns
    -------
    dict
        The same, each of ``sightings`` with ``place``, its name (None: she is nowhere).
    """
    if atlas is None or atlas.where is None:
        return result
    wheres, rows = _Wheres(atlas.where, atlas), []
    for row, number in zip(result["breaking"], answer.numbers, strict=True):
        rows.append(dict(row))
        if row["sightings"] is not None:
            rows[-1]["sightings"] = [
                {**sighting, "place": wheres.at(user, step)}
                for sighting, (user, step) in zip(row["sightings"], number.sightings, strict=True)
            ]
    return {**result, "breaking": rows}


class _Wheres:
    """Names of places by row and step."""

    def __init__(self, where: Positions, atlas: Atlas) -> None:
        self._where, self._atlas = where, atlas
        self._width = where.axis.steps + 1
        self._key = where.row.astype(np.int64) * self._width + where.step

    def at(self, row: int, step: int) -> str | None:
        """Place of a user at a step; None: she is nowhere."""
        key = row * self._width + step
        low, high = np.searchsorted(self._key, (key, key + 1))
        names = place_names(self._where.place[low:high], self._atlas)
        return names[0] if names else None


def breaking_document(answer: BreakingNumbers, context: Context, *, pages: bool = True) -> Document:
    """The document of breaking numbers.

    Parameters
    ----------
    pages
        With the parts that only pages show.
    """
    summary, total = answer.summary, len(answer.targets)
    rows = with_places(answer.to_dict(), answer, context.atlas)["breaking"]
    first = _first(rows, answer.each)
    chart = (_numbers_of_sightings(summary),) if pages else ()
    return Document(
        title=f"What breaks {answer.problem.name}",
        word="Bounds" if summary["undecided"] else "Exact" if total else "Nothing asked",
        tone="undecided" if summary["undecided"] else "plain",
        sentence=_sentence(answer),
        meaning=(
            "Seen at so many further times, a person is no longer protected. A lower bound is"
            " proven by witnesses that no smaller set of sightings contradicts, an upper bound by a"
            " set of sightings."
        ),
        facts=tuple(_facts(answer, context)),
        parts=(*chart, first) if total else (),
        evidence=(evidence(answer.asked, summary, rows),),
    )


def _noun(answer: BreakingNumbers) -> tuple[str, str]:
    return ("stretch", "stretches") if answer.each else ("person", "people")


def _sentence(answer: BreakingNumbers) -> str:
    """How many targets are broken, how many withstand, and how many are undecided."""
    summary, total = answer.summary, len(answer.targets)
    one, many = _noun(answer)
    if not total:
        return f"There are no {many} to break."
    broken, at_most = summary["broken_by"][-1], answer.asked["at_most"]
    withstand, undecided = summary["robust"] + summary["never"], summary["undecided"]
    sightings = plural(at_most, "further sighting", "further sightings")
    return (
        f"Of {plural(total, one, many)}, {_are(broken)} broken by at most {sightings}"
        f" ({share(broken / total)}); {count(withstand)}"
        f" {'withstands' if withstand == 1 else 'withstand'} any {count(at_most)},"
        f" {_are(undecided)} undecided."
    )


def _are(number: int) -> str:
    return f"{count(number)} {'is' if number == 1 else 'are'}"


def _facts(answer: BreakingNumbers, context: Context) -> Iterator[Fact]:
    asked, summary = answer.asked, answer.summary
    k = "" if asked["k"] is None else f", k = {asked['k']}"
    yield Fact("Target", f"{asked['target']}{k}")
    away = asked["away"]
    near = "" if away is None else f" Only those more than {away} steps from the wire count."
    whose = _WHOSE.get(asked["sightings"], "Those of a list")
    yield Fact("Further sightings", f"{whose}, in addition to those known.{near}")
    known = plural(len(answer.problem.knowledge), "sighting", "sightings")
    read = answer.problem.knowledge.reading_words
    adversary = context.adversary or "The adversary has the sightings of the problem"
    yield Fact("Adversary", f"{adversary} ({known}{read and '; '}{read})")
    yield Fact("Data", context.data(answer.problem.zones))
    counts = zip(summary["broken_by"], summary["perhaps_by"], strict=True)
    numbers = (
        f"{m}: {count(low) if low == high else f'{count(low)} to {count(high)}'}"
        for m, (low, high) in enumerate(counts)
    )
    yield Fact("Broken by", "; ".join(numbers))
    if summary["never"]:
        yield Fact("Never broken by allowed sightings", summary["never"], "count")
    yield Fact("Time", round(answer.seconds, 3), "seconds")


def _numbers_of_sightings(summary: Mapping[str, Any]) -> Chart:
    """Shares that the worst m sightings break, proven and perhaps."""
    total = max(summary["targets"], 1)
    proven = [number / total for number in summary["broken_by"]]
    undecided = [
        (perhaps - broken) / total
        for broken, perhaps in zip(summary["broken_by"], summary["perhaps_by"], strict=True)
    ]
    series = [Series("broken", "unsafe-1", proven, look="bars")]
    if any(undecided):
        series.append(Series("undecided", "undecided", undecided, look="bars", bottom=proven))
    panel = Panel(
        tuple(series),
        Axis("further sightings, the worst ones", ticks=tuple(range(len(proven)))),
        Axis("share broken", low=0, high=1),
        height=3.2,
    )
    caption = "Share broken by the worst m sightings, and above it the share that is undecided."
    return Chart("How many it takes", "numbers", caption, (panel,))


def _first(rows: Sequence[Row], each: bool) -> Table:
    """Those who break first."""
    first = sorted(rows, key=lambda row: (row["lower"], row["upper"] is None))[:_SHOWN]
    ends = (Column("from", "moment"), Column("to", "moment")) if each else ()
    return Table(
        "Fewest sightings first",
        f"The first {_SHOWN} of {count(len(rows))}" if len(rows) > _SHOWN else "All of them",
        (
            Column("person", "name"),
            *ends,
            Column("at least", "count"),
            Column("at most", "count"),
            Column("seen", wide=True),
        ),
        [_row(row, each) for row in first],
        text=(
            "Seen at all of the listed times, the person is no longer protected (places in"
            " brackets, if known). Where both numbers are equal, no smaller set exists.",
        ),
    )


def _row(row: Row, each: bool) -> tuple[Value, ...]:
    """A target, its bounds, and the sightings that break it."""
    if row["upper"] == 0:
        seen = "nothing more"
    else:
        seen = "; ".join(_seen(one) for one in row["sightings"] or ()) or "-"
    ends = (row["from_time"], row["to_time"]) if each else ()
    return (str(row["user_id"]), *ends, row["lower"], row["upper"], seen)


def _seen(one: Mapping[str, Any]) -> str:
    """A sighting: who, when, and where if that is known."""
    place = f" ({one['place']})" if one.get("place") else ""
    return f"{one['user']} at {one['time']}{place}"


def evidence(
    asked: Mapping[str, Any], summary: Mapping[str, Any], rows: Sequence[Row]
) -> CriterionEvidence:
    """What an officer is told: who withstands further sightings, and who does not."""
    targets, broken, undecided = (summary[name] for name in ("targets", "broken", "undecided"))
    at_once, missing = summary["broken_by"][0], broken + undecided
    whose = " of the person" if asked["sightings"] == "self" else ""
    any_of = plural(asked["at_most"], "further sighting", "further sightings")
    protected = ""
    if asked["k"] is not None:
        protected = f" Protected means that at least {count(asked['k'])} pseudonyms are possible."
    sentence = (
        f"What would break it: further sightings. {count(summary['robust'] + summary['never'])} of"
        f" {plural(targets, 'target', 'targets')} are proven to withstand any {any_of}{whose}."
        f" {_are(broken)} broken by so many or fewer; {plural(at_once, 'needs', 'need')} none at"
        f" all, because there is no protection as it is.{protected} {_are(undecided)} undecided,"
        f" which counts as broken. In all, {count(missing)} ({share(missing / max(targets, 1))})"
        " are not shown to withstand them."
    )
    stands: Stands = "speaks against" if broken else "open" if undecided else "supports"
    first = sorted(
        (row for row in rows if row["status"] == "broken"),
        key=lambda row: (row["lower"], row["upper"]),
    )
    names = list(dict.fromkeys(str(row["user_id"]) for row in first))
    title = "Those who are broken"
    if len(names) > NAMES:
        title = f"The first {count(NAMES)} of {count(len(names))} who are broken"
    return CriterionEvidence(
        "residual", (sentence,), stands, title=title, names=tuple(names[:NAMES])
    )
