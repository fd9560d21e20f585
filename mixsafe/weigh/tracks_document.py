"""What a weighed release says: how likely each published track is whose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mixsafe.documents.atlas import Context
from mixsafe.documents.document import Chart, Column, Document, Fact, Series, Table, Text
from mixsafe.model.answer.wording import listed, share
from mixsafe.weigh.weighing_document import LIMITS, chart_over_time, of_tracks, time_of, unsettled
from mixsafe.weigh.whose_tracks import SamePerson, TrackWeighing


def tracks_document(
    answer: TrackWeighing,
    context: Context,
    same: tuple[Sequence[str], SamePerson | None] | None = None,
    *,
    pages: bool = True,
) -> Document:
    """The document of a weighed release.

    Parameters
    ----------
    same
        Two pseudonyms with their times, and the chance that they are of one person; None: that
        is not asked.
    pages
        With the parts that only pages show.
    """
    found = answer.summary
    right = found["follower_right"]
    known = found["settled"] and right is not None
    sentence = unsettled(found, None)
    if right is not None:
        sentence += (
            f"Betting on the likeliest track is right {share(right)} of {time_of(found)}; a random"
            f" track is right {share(found['random_guess'])} of it."
        )
    parts: list[Text | Chart | Table] = []
    if same is not None:
        parts.append(Text("One person", (_one_person(*same),)))
    if pages:
        parts += _for_pages(of_tracks(answer))
    return Document(
        title=f"Whose tracks: {context.source}",
        word="Weighed" if known else "Not settled",
        tone="plain" if known else "undecided",
        sentence=sentence,
        meaning=(
            "The adversary has the release and saw some people at some times. For each of them at"
            " every time, the adversary bets on the likeliest track; the share says how often the"
            " bet is right. Any person may begin on any track, and all exchanges happen."
        ),
        facts=tuple(_facts(found, context)),
        parts=tuple(parts),
        next_steps=() if known else ("A longer --time-limit may settle more.",),
        limits=LIMITS,
    )


def _one_person(names: Sequence[str], chance: SamePerson | None) -> str:
    """Whether two pseudonyms at two times are of one person."""
    one, other = names
    if chance is None:
        return f"Whether {one} and {other} are one person is not settled."
    return (
        f"{one} and {other} are one person with probability {share(chance.chance)} (95% interval"
        f" {share(chance.low)} to {share(chance.high)})."
    )


def _facts(found: Mapping[str, Any], context: Context) -> Iterator[Fact]:
    yield Fact("Release", context.source)
    yield Fact("Published tracks", found["tracks"], "count")
    yield Fact("People who were seen", found["users"], "count")
    yield Fact("Time that is not settled", found["share_not_settled"], "share")
    yield Fact("A track at random is right", found["random_guess"], "share")
    if "gaps" in found:
        yield Fact("Read", found["gaps"])


def _for_pages(view: Mapping[str, Any]) -> Iterator[Chart | Table]:
    shares, people = view["over_time"], view["people"]
    yield chart_over_time(
        "tracks-over-time",
        "Share of right bets on the likeliest track, and share of time that is not settled.",
        shares["moments"],
        (
            Series("right, betting on the likeliest track", "unsafe-1", shares["best"]),
            Series("not settled", "ink", shares["not_settled"], look="dashes"),
        ),
    )
    shown = listed(len(people["user"]), people["of"], "person", "people")
    yield Table(
        "People",
        f"{shown}, the easiest to find first",
        (
            Column("person", "name"),
            Column("best guess, mean", "share"),
            Column("best guess, at most", "share"),
            Column("not settled", "share"),
        ),
        list(
            zip(*(people[key] for key in ("user", "mean", "highest", "not_settled")), strict=True)
        ),
        pages_only=True,
    )
