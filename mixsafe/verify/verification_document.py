"""What a verification says: who has enough candidate pseudonyms, and when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.documents.atlas import Context
from mixsafe.documents.document import CriterionEvidence, Document, Fact, Text
from mixsafe.machinery.compiled import tiered
from mixsafe.machinery.spill import blocks
from mixsafe.model.answer.follower_wording import (
    clearly_followed,
    zones_beside_verdict,
    zones_sentences,
)
from mixsafe.model.answer.headline import set_apart
from mixsafe.model.answer.time_followed import times_sentence
from mixsafe.model.answer.verdict import UNSAFE
from mixsafe.model.answer.wording import count, plural, share
from mixsafe.model.csr import begins_of
from mixsafe.model.question.followed_zones import FollowedZones
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.network.wires import WireNetwork
from mixsafe.verify.privacy.decided import Decided, Ints, NamedCandidates, Naming, Sighted
from mixsafe.verify.privacy.privacy import (
    Judged,
    PrivacyNumbers,
    are,
    inference,
    people,
    singling_out,
)
from mixsafe.verify.privacy.privacy_document import SHOWN, Said, at_places, privacy_document
from mixsafe.verify.verification import Verification

NAMED = 100
"""Names of people without data, or in no mix zone, that a page lists, at most."""

_APART = {
    "no_data": (
        ("person has", "people have"),
        "no data in the period",
        "Nothing of them is published: they neither pass nor fail.",
    ),
    "no_zone": (
        ("person is", "people are"),
        "in no mix zone",
        "No pseudonym exchange can protect them: remove them, or use larger cells.",
    ),
}
"""People whom exchanges do not concern: how many, what they lack, and the consequence."""

_EXPOSED = (
    "At the places on this map people spend {} with fewer candidates than were asked for, known by"
    " assumption or followed. Grey is where people are at all; the stronger the colour of a place,"
    " the more of that time is spent there. “Where safety begins” shows the meetings that help"
    " most: exchanging pseudonyms there is what hides people afterwards."
)
_ZONE = (
    "two or more people in one place in one time step. Their pseudonyms are exchanged at random,"
    " invisible to the adversary."
)
_EXCHANGES = (
    "The verdict holds if pseudonyms are exchanged at random in each mix zone. It does not check"
    " that they were."
)


def verification_document(
    answer: Verification,
    lasting: Mapping[str, Any] | None,
    context: Context,
    *,
    pages: bool = True,
) -> Document:
    """The document of a verification.

    Parameters
    ----------
    lasting
        Which verdicts are final, as JSON has it; None: unknown.
    pages
        With the parts that only pages show.
    """
    found, zones = privacy_of(answer), answer.problem.zones
    n_people = sum(found.headline.counts.values())
    judged = Judged.of(found, max(n_people, zones.n_users - len(zones.absent)))
    apart = set_apart(zones)
    said = Said(
        first=tuple(_followed(answer)),
        facts=(*_facts(found, answer, context), *_notes(apart)),
        limits=(_EXCHANGES,),
        who="people",
        adversary=tuple(_adversary(answer, context)),
        zone=_ZONE,
        evidence=(
            *evidence(judged, apart, seen_by(answer), context, lasting),
            *_followed_evidence(answer),
        ),
        exposed=_EXPOSED,
        helps="where safety begins",
        helps_share="of all safe time begins here",
        sentence=answer.sentence,
        parts=tuple(_apart(apart)),
    )
    return privacy_document(found, said, context.atlas, pages=pages)


def privacy_of(answer: Verification) -> PrivacyNumbers:
    """The numbers of a verification that its document shows."""
    zones = answer.problem.zones
    return PrivacyNumbers(
        answer.problem.name,
        zones,
        answer.headline,
        zones.users,
        answer.user_rows,
        answer.rows.best(zones.n_users),
        partial(decided, answer),
        answer.next_steps,
        zones.notes,
        answer.summary.get("places"),
        _meetings(zones),
    )


def _meetings(zones: MixZones) -> Ints:
    """(n_users,) number of mix zones of each; members may be on disk."""
    found = np.zeros(zones.n_users, np.int64)
    for part in blocks(len(zones.members)):
        found += np.bincount(zones.members[part], minlength=zones.n_users)
    return found


def decided(answer: Verification) -> Decided:
    """The decided questions of a verification, without names if their candidates were not kept."""
    found, zones = answer.rows, answer.problem.zones
    known = np.zeros(len(found.user), bool)
    known[answer.seen] = found.verdict[answer.seen] == UNSAFE
    order: Ints | None = None  # as they are
    if not answer.every_wire:
        order = np.lexsort((found.k, found.start, found.user))
    elif len(zones.absent):
        there = np.ones(zones.n_users, bool)
        there[zones.absent] = False
        order = np.flatnonzero(there[found.user])

    def some(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return values if order is None else values[order]

    def column(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        # Half the memory of int64: there is one number for every wire.
        return some(values).astype(np.int32, copy=False)

    return Decided(
        zones,
        column(found.user),
        column(found.start),
        column(found.end),
        column(found.k),
        column(found.lower),
        column(found.upper),
        column(_entered(answer)),
        _naming(answer, order),
        whole=answer.every_wire,
        placed=None if answer.places is None else some(found.verdict),
        known=some(known),
        seen=Sighted(answer.problem.knowledge.row, answer.problem.knowledge.time),
        meets=lambda row: zones.time[zones.zones_at(np.flatnonzero(zones.members == row))],
    )


def _entered(answer: Verification) -> npt.NDArray[np.int32]:
    """(n_asked,) mix zone with which the wire of each question begins, -1 at step 0.

    The answer keeps the compressed network only, in which some of these zones are gone.
    """
    found, zones = answer.rows, answer.problem.zones
    if answer.every_wire:
        entered = np.full(len(found.user), -1, np.int32)
        following = begins_of(found.user, zones.n_users)[:-1] + 1
        _enter(zones.ptr, zones.members, following, entered)
        return entered
    network = WireNetwork.of(zones)
    entered = np.full(network.n_wires, -1, np.int32)
    entered[network.before + 1] = zones.zone_of_member
    return entered[network.wire_at(found.user, found.start)]


@tiered
def _enter(  # pragma: no cover - compiled
    ptr: Ints, members: npt.NDArray[np.int32], wire: Ints, entered: npt.NDArray[np.int32]
) -> None:
    """Write down with which zone each wire begins; zones are in order of time.

    Parameters
    ----------
    ptr, members
        Members of the zones.
    wire
        (n_users,) second wire of each user; used up.
    entered
        (n_wires,) filled.
    """
    for zone in range(len(ptr) - 1):
        for place in range(ptr[zone], ptr[zone + 1]):
            user = members[place]
            entered[wire[user]] = zone
            wire[user] += 1


def _naming(answer: Verification, order: Ints | None) -> Naming:
    """Lookup of the candidates of questions, which are requested in this ``order``."""
    kept, users = answer.candidates, answer.problem.zones.users

    def candidates(question: int, most: int) -> NamedCandidates:
        if kept is None:
            return NamedCandidates([], 0, 0)
        row = question if order is None else int(order[question])
        found = kept.of_row(row, most)
        names = [str(name) for name in users[found.tokens].tolist()]
        return NamedCandidates(names, found.proven, found.possible)

    return candidates


def _followed(answer: Verification) -> Iterator[Fact]:
    """How real the mix zones are, and for how long people are followed."""
    followed = answer.problem.zones_followed
    if followed is not None:
        yield Fact("Zones", zones_beside_verdict(followed))
        yield Fact("Followed", _times_followed(answer, followed))


def _times_followed(answer: Verification, followed: FollowedZones) -> str:
    """For how long people are followed, with certainty and with beliefs."""
    times = answer.times_followed
    if times is None or followed.people is None:
        return ""
    moment, drawn = "any moment", len(followed.people.row)
    if drawn < followed.n_people:
        moment += f" ({count(drawn)} of {people(followed.n_people)}, drawn at random)"
    unit = "" if followed.zones.axis.timed else "steps"
    by_belief = {belief: time._asdict() for belief, time in times.items()}
    return times_sentence(by_belief, f"from {moment} on", unit)


def _followed_evidence(answer: Verification) -> Iterator[CriterionEvidence]:
    """What an officer must know of a follower who bets: linkable is what is likely, too."""
    followed = answer.problem.zones_followed
    if followed is None:
        return
    times = _times_followed(answer, followed)
    yield CriterionEvidence(
        "linkability",
        (zones_sentences(followed), f"{times[:1].upper()}{times[1:]}."),
        "speaks against" if clearly_followed(followed) else None,
    )


def _facts(found: PrivacyNumbers, answer: Verification, context: Context) -> Iterator[Fact]:
    zones, summary, knowledge = answer.problem.zones, answer.summary, answer.problem.knowledge
    if answer.every_wire:
        asked = f"k = {answer.rows.k[0]} for every person at every time"
    else:
        asked = f"{summary['requirements']:,} requirements"
    yield Fact("Asked", f"{asked}{at_places(found)}")
    yield Fact("Data", context.data(zones))
    sightings = plural(len(knowledge), "sighting", "sightings")
    read = knowledge.reading_words
    known = f"{context.adversary} ({sightings})" if context.adversary else sightings
    yield Fact("Adversary", f"{known}{read and '; '}{read}")
    wires = "wires" if answer.every_wire else "requirements"
    yield Fact(
        "Decided",
        f"{summary['safe']:,} {wires} safe, {summary['unsafe']:,} unsafe,"
        f" {summary['undecided']:,} undecided; engine {answer.engine}",
    )
    yield Fact("Decision", round(answer.seconds, 3), "seconds")


def _notes(apart: Mapping[str, Any]) -> Iterator[Fact]:
    """People without data, and people in no mix zone; ``apart``: from ``set_apart``."""
    for kind, (have, lack, follows) in _APART.items():
        some = apart[kind]
        if some["count"]:
            names = ", ".join(some["users"][:SHOWN]) + ", …" * (some["count"] > SHOWN)
            yield Fact("Note", f"{plural(some['count'], *have)} {lack} ({names}). {follows}")


def _apart(apart: Mapping[str, Any]) -> Iterator[Text]:
    """The same with their names, as far as the facts have not all of them."""
    lines = []
    for kind, (have, lack, _) in _APART.items():
        some = apart[kind]
        if some["count"] > SHOWN:
            more = some["count"] - NAMED
            names = ", ".join(some["users"][:NAMED]) + (f" and {count(more)} more" * (more > 0))
            lines.append(f"{plural(some['count'], *have)} {lack}: {names}.")
    if lines:
        yield Text("People without data, or in no mix zone", lines, pages_only=True)


def seen_by(answer: Verification) -> tuple[int, int]:
    """Number of sightings, and of people who were seen."""
    knowledge = answer.problem.knowledge
    return len(knowledge), int(np.count_nonzero(np.bincount(knowledge.row)))


def _adversary(answer: Verification, context: Context) -> Iterator[str]:
    """Sentences about the adversary and the sightings."""
    sightings, users = seen_by(answer)
    known = context.adversary or "The adversary has the published traces and saw some people"
    seen = f" In all, {plural(sightings, 'sighting', 'sightings')} of {people(users)}."
    yield f"{known}.{seen if sightings else ''}"
    yield (
        "The adversary also knows all traces under their pseudonyms, all mix zones, and how"
        " pseudonyms are exchanged there, but not which exchanges were made."
    )
    if sightings > users:
        yield "The adversary may combine several sightings of one person."
    if answer.problem.knowledge.reading_words:
        yield f"At sightings {answer.problem.knowledge.reading_words}."


def evidence(
    judged: Judged,
    apart: Mapping[str, Any],
    seen: tuple[int, int],
    context: Context,
    lasting: Mapping[str, Any] | None,
) -> Iterator[CriterionEvidence]:
    """What an officer is told of a verification.

    Parameters
    ----------
    apart
        From :func:`mixsafe.model.answer.headline.set_apart`.
    seen
        Number of sightings, and of people who were seen.
    lasting
        Which verdicts are final; None: unknown.
    """
    yield CriterionEvidence("data", tuple(_data(judged, apart)))
    adversary = "The adversary has the sightings of a list that the controller keeps"
    if context.adversary and not context.listed:
        adversary = context.adversary
    sightings = plural(seen[0], "sighting", "sightings")
    yield CriterionEvidence(
        "adversary", (f"{adversary}. That makes {sightings} of {people(seen[1])}.",)
    )
    yield singling_out(judged)
    yield _linkability(judged)
    yield from inference(judged)
    yield _residual(judged, lasting)
    yield CriterionEvidence("validity", (_validity(judged, context, lasting),))


def _data(judged: Judged, apart: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"The data show where {people(judged.n_people)} were, over"
        f" {plural(judged.steps, 'time step', 'time steps')} ({judged.first} to {judged.last}). In"
        f" {plural(judged.zones, 'case', 'cases')}, two or more people were at one place at one"
        " time. These are the mix zones, in which pseudonyms are exchanged."
    )
    if apart["no_zone"]["count"]:
        yield (
            f"{people(apart['no_zone']['count'])} never came to a mix zone. No exchange of"
            " pseudonyms can protect them."
        )
    if apart["no_data"]["count"]:
        some = plural(apart["no_data"]["count"], "person has", "people have")
        yield f"{some} no data in this period."


def _linkability(judged: Judged) -> CriterionEvidence:
    asked = judged.headline.asked
    fewer = "the required number of" if asked.k is None else count(asked.k)
    at = f", or to candidates at fewer than {plural(asked.places, 'place', 'places')}"
    return judged.evidence(
        "linkability",
        judged.if_none(judged.headline.followed, judged.undecided_time),
        f"{count(judged.headline.followed)} of {people(judged.n_people)} can be followed through at"
        " least one mix zone: what is published before it and after it can be linked to fewer than"
        f" {fewer} candidates{at if asked.places > 1 else ''}. This is so for"
        f" {share(judged.followed_time)} of the time of all people; for"
        f" {share(judged.undecided_time)} it is undecided.",
    )


def _residual(judged: Judged, lasting: Mapping[str, Any] | None) -> CriterionEvidence:
    sentences = [
        f"Of {people(judged.n_people)}, {are(judged.not_shown)} not shown to be protected by the"
        f" rule, and {share(judged.headline.known_share)} of people's time is known by assumption."
        " This remains if the data are published as they are."
    ]
    if lasting is not None:
        sentences.append(
            "If data of later times are published, too, whoever is safe now "
            + (
                "stays safe in this period."
                if lasting["safe"]
                else "may become unsafe. A new verdict is needed then."
            )
        )
    stands = judged.if_none(judged.n_failing, judged.n_undecided)
    return judged.evidence("residual", stands, *sentences)


def _validity(judged: Judged, context: Context, lasting: Mapping[str, Any] | None) -> str:
    last = judged.last
    if context.sealed:
        holds = (
            f"Everybody is assumed to be seen at the last step ({last}), so that the verdict on the"
            " time until then is sealed: later data cannot change it."
        )
    elif lasting is None:
        holds = "How long the verdict holds is not recorded."
    elif lasting["safe"]:
        holds = (
            f"The verdict 'safe' is final for the time until {last}; what is unsafe may become safe"
            " with later data."
        )
    else:
        holds = (
            f"The verdict holds for these data only, which end at {last}. It must be computed anew"
            " when later data are published ('--sealed' makes it final)."
        )
    undecided = f"{are(judged.n_undecided)} undecided, which counts as failing."
    return f"Of {people(judged.n_people)}, {undecided} {holds}"
