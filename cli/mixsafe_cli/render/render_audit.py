"""Audits as text and JSON: verdict, assumptions, least protected users."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from mixsafe.model.answer.place_words import place_sentences
from mixsafe.report.base.words import helping_zones
from mixsafe_cli.render.printing import (
    Part,
    Protection,
    Written,
    facts,
    least_protected,
    said_first,
    what_next,
)

if TYPE_CHECKING:
    from mixsafe.release.audit import Audit


def show(answer: Audit, release: Path, written: Written, candidates: Path | None) -> Iterator[Part]:
    """Verdict, assumptions, least protected users and advice.

    Parameters
    ----------
    candidates
        The file that the candidate tracks went to; None: they were not asked for.
    """
    from mixsafe.release.threat_model import threat_model

    yield from said_first(answer.headline, "known users")
    yield facts(_facts(answer, release))
    yield ""
    yield Text("Assumptions", style="bold")
    for sentence in threat_model(answer.evidence, exchanged=answer.exchanged):
        yield f"- {sentence}"
    yield ""
    yield from _least_protected(answer)
    yield what_next(answer.next_steps)
    yield written.where("Safe times of each user", "users.csv")
    yield f"Candidate tracks of each user: {candidates or '--candidates tracks.csv'}"
    yield written.page()


def _facts(answer: Audit, release: Path) -> Iterable[tuple[str, str]]:
    zones, summary = answer.evidence.zones, answer.summary
    axis = zones.axis
    yield "Rule", f"{answer.rule}: {answer.rule.words}"
    places = answer.places
    at = f", at {places.least:,} or more places" if places and places.least > 1 else ""
    yield "Asked", f"at least {answer.k} candidate tracks for each known user at every time{at}"
    yield (
        "Release",
        f"{release.name}: {zones.n_users:,} tracks, {axis.steps:,} steps ({axis.period})",
    )
    yield (
        "Tracks",
        f"{summary['share_of_tracks_tied']:.1%} of all tracks can be tied to one known user"
        f" ({summary['share_of_tracks_undecided']:.1%} undecided)",
    )
    if places is not None:
        yield from (("Places", sentence) for sentence in place_sentences(summary["places"]))
    if "sightings_at_least" in answer.tracks:
        yield "Singled out", _singled(answer)
    if answer.exchanged:
        hides = answer.zones["hides"].value_counts()
        counts = {str(word): int(n) for word, n in hides.items()}
        yield "Mix zones", f"{helping_zones(counts)}; --json names those that hide nothing"
        yield "If static", _if_static(answer)
    yield "Decided", f"engine {answer.engine}, {answer.seconds:.1f} s"


def _singled(answer: Audit) -> str:
    """Numbers of tracks by the sightings that single them out."""
    most = answer.tracks["sightings_at_most"]
    counts = most.dropna().astype(int).value_counts().sort_index()
    singled = [f"{number:,} tracks by {m} sightings" for m, number in counts.items()]
    return f"{', '.join([*singled, f'{int(most.isna().sum()):,} not'])} (their own, worst case)"


def _if_static(answer: Audit) -> str:
    """The result if pseudonyms had never been exchanged."""
    if answer.static is None:
        return "without exchanges, the sightings contradict the release"
    people = answer.static.summary["users"]
    tied = answer.static.summary["share_of_tracks_tied"]
    return (
        f"without exchanges {people['unsafe']:,} of {sum(people.values()):,} would fail, and"
        f" {tied:.1%} of all tracks would be tied to a user (--exchange none)"
    )


def _least_protected(answer: Audit) -> Iterator[Part]:
    """The known users who are safe for the smallest part of the time, those who fail first."""
    users = answer.users
    best = answer.intervals.groupby("user_id", sort=False)["lower"].max()
    found = Protection(
        users["user_id"].to_numpy(),
        users["verdict"].to_numpy(),
        users["safe_share"].to_numpy(),
        users["undecided_share"].to_numpy(),
        users["known_share"].to_numpy(),
        best.loc[users["user_id"]].to_numpy(),
    )
    return least_protected(found, "tracks proven, at best")
