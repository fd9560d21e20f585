"""Bounds on the tracks of every known user, from a first solution on."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mixsafe.model.course import Course
from mixsafe.model.question.requirement import Rule
from mixsafe.release.evidence import Evidence
from mixsafe.release.findings import Findings
from mixsafe.release.placed_tracks import PlacedTracks, settle_placed
from mixsafe.verify.auditor.auditing import decide
from mixsafe.verify.auditor.initial_solution import NoSolutionError, initial_solution
from mixsafe.verify.auditor.paths import PathQuestion, unnamed_start
from mixsafe.verify.auditor.whereabouts import Whereabouts


@dataclass(frozen=True)
class AuditQuestion:
    """The question, as for :func:`mixsafe.release.audit.audit`; whether to keep proof data."""

    k: int
    rule: Rule
    engine: str
    exhaustive: bool
    keep_proof_data: bool = False
    distinct_places: int | None = None


def find(evidence: Evidence, question: AuditQuestion, course: Course) -> Findings:
    """Bounds on the tracks of every known user."""
    k, n_known = question.k, len(evidence.users)
    tracks = unnamed_start(evidence.zones, evidence.pins)
    course.progress("looking for an initial solution", 0, 0)
    try:
        solution, possible = initial_solution(tracks, n_known, course)
    except NoSolutionError as error:
        raise _contradiction(error, evidence) from None
    if solution is None:
        found = Findings.of_possible(tracks, possible, n_known, k)
        placed = _placed(evidence, question, found, course.workers)
        if placed is None:
            return found
        net = found.network
        spans = (net.start, net.end, net.row)
        return replace(found, places=placed.count(found.proven, found.possible, spans))
    paths, kept = PathQuestion.of(tracks, solution), question.keep_proof_data
    asked = Whereabouts(paths, n_known, k, question.exhaustive, records=kept)

    def settle() -> None:
        decide(asked, question.engine, course)

    settle()
    found = Findings.of(asked, kept=kept)
    placed = _placed(evidence, question, found, course.workers)
    if placed is None:
        return found
    counts = settle_placed(asked, placed, question.distinct_places or 1, settle)
    return replace(Findings.of(asked, kept=kept), places=counts)


def _placed(
    evidence: Evidence, question: AuditQuestion, found: Findings, workers: int
) -> PlacedTracks | None:
    """Where tracks are, if their places are to be counted."""
    if question.distinct_places is None and not evidence.has_names:
        return None
    where = evidence.track_places
    if where is None:
        return None
    n_tracks = evidence.zones.n_users
    return PlacedTracks(where, n_tracks, found.n_known, found.begins, found.ends, workers)


def _contradiction(error: NoSolutionError, evidence: Evidence) -> NoSolutionError:
    """Say in the words of the data what contradicts what."""
    hint = "is this knowledge about this release, and are its cells the true ones?"
    if error.pin is None:
        message = "the known users cannot all have been where they were seen: tracks are too few"
        return NoSolutionError(message, hint=hint)
    user = evidence.users[evidence.pins.token[error.pin]]
    when = evidence.zones.axis.label(int(evidence.pins.time[error.pin]))
    message = (
        f"user {user} cannot have been where she was seen at time {when}:"
        " no track, however exchanged, was there and at her earlier sightings"
    )
    return NoSolutionError(message, pin=error.pin, hint=hint)
