"""Checking certificates: witnesses are replayed from the definitions.

Nothing is shared with the engines but the data model, so that an error of theirs is not repeated
here. A history is followed for the rows that exchange something; all others keep their tokens.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass

from mixsafe.check.reach import reachable_tokens
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Certificate, Claim, Witness
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Rule

Track = tuple[list[int], list[int]]
"""Steps at which the token on a row changes, ascending, and the tokens from then on."""


@dataclass(frozen=True)
class Checked:
    """What a certificate was found to be worth.

    Parameters
    ----------
    safe
        Claims whose witnesses were replayed.
    unsafe_confirmed
        Unsafe claims that were proven again, by reachability.
    unsafe_claimed
        Unsafe claims that nothing contradicts, but that were not proven again.
    undecided
        Claims that leave the question open.
    users
        Number of users by verdict, under the certificate's rule.
    """

    safe: int
    unsafe_confirmed: int
    unsafe_claimed: int
    undecided: int
    users: dict[Verdict, int]

    @property
    def verdict(self) -> Verdict:
        """UNSAFE if some user fails by the rule, else UNDECIDED if one is undecided, else SAFE."""
        for verdict in (Verdict.UNSAFE, Verdict.UNDECIDED):
            if self.users[verdict]:
                return verdict
        return Verdict.SAFE


def check(certificate: Certificate) -> Checked:
    """Replay a certificate.

    Raises
    ------
    InputError
        A claim does not belong to the question, a witness breaks a rule of the problem, or a
        claim does not follow from its witnesses or is contradicted by some witness.
    """
    meetings = _meetings(certificate.problem)
    _check_asked(certificate, meetings)
    pool = _replayed(certificate, meetings)
    for number, claim in enumerate(certificate.claims):
        if claim.verdict is Verdict.SAFE:
            _check_safe(number, claim, pool)
    confirmed, claimed = _check_unsafe(certificate, pool)
    verdicts = Counter(claim.verdict for claim in certificate.claims)
    users = Counter(_user_verdicts(certificate))
    return Checked(
        verdicts[Verdict.SAFE],
        confirmed,
        claimed,
        verdicts[Verdict.UNDECIDED],
        {verdict: users[verdict] for verdict in Verdict},
    )


Meetings = dict[int, dict[int, int]]
"""For each row the zones that it is in, by step, ascending."""


def _meetings(problem: Problem) -> Meetings:
    zones = problem.zones
    found: Meetings = defaultdict(dict)
    members = zones.members.tolist()
    for zone, (time, low, high) in enumerate(
        zip(zones.time.tolist(), zones.ptr[:-1].tolist(), zones.ptr[1:].tolist(), strict=True)
    ):
        for row in members[low:high]:
            found[row][time] = zone
    return found


def _check_asked(certificate: Certificate, meetings: Meetings) -> None:
    """Refuse claims about anything but the question: none may be missing, added or changed."""
    if certificate.k is not None:
        _check_everything_asked(certificate, certificate.k, meetings)
        return
    asked = certificate.problem.requirements
    if asked is None:
        raise InputError("nothing is asked: the problem has no requirements")
    wanted = zip(asked.row.tolist(), asked.time.tolist(), asked.k.tolist(), strict=True)
    claimed = [(claim.row, claim.start, claim.k) for claim in certificate.claims]
    if claimed != list(wanted) or any(c.start != c.end for c in certificate.claims):
        raise InputError("the claims are not about the problem's requirements")


def _check_everything_asked(certificate: Certificate, k: int, meetings: Meetings) -> None:
    """Claims must cover each user's steps without gaps, and none may span an exchange."""
    zones = certificate.problem.zones
    if not 1 <= k <= zones.n_users:
        raise InputError(f"k = {k} is not between 1 and the number of users, {zones.n_users}")
    steps = {row: sorted(there) for row, there in meetings.items()}
    row, start = 0, 0
    for number, claim in enumerate(certificate.claims):
        if (claim.row, claim.start, claim.k) != (row, start, k) or not (
            claim.start <= claim.end <= zones.axis.steps
        ):
            raise InputError(f"claim {number} is not the next one about row {row}, step {start}")
        later = steps.get(row, [])
        there = bisect_right(later, claim.start)
        if there < len(later) and later[there] <= claim.end:
            raise InputError(f"claim {number} spans a mix zone of its user")
        done = claim.end == zones.axis.steps
        row, start = (row + 1, 0) if done else (row, claim.end + 1)
    if (row, start) != (zones.n_users, 0):
        raise InputError(f"the claims end before row {row}, step {start}")


@dataclass(frozen=True)
class _Pool:
    """The witnesses as tracks, and for each row those in which its token changes."""

    tracks: list[dict[int, Track]]
    of_row: dict[int, list[Track]]

    def token(self, witness: int, row: int, step: int) -> int:
        """Token on a row after a step."""
        return _token_at(self.tracks[witness].get(row), row, step)


def _token_at(track: Track | None, row: int, step: int) -> int:
    if track is None:
        return row
    changes = bisect_right(track[0], step)
    return track[1][changes - 1] if changes else row


def _replayed(certificate: Certificate, meetings: Meetings) -> _Pool:
    """Follow every witness, and refuse those that break a rule of the problem."""
    known = certificate.problem.knowledge
    sightings: dict[int, list[int]] = defaultdict(list)
    for row, step in zip(known.row.tolist(), known.time.tolist(), strict=True):
        sightings[row].append(step)
    pool = _Pool([], defaultdict(list))
    for number, witness in enumerate(certificate.witnesses):
        tracks = _follow(number, witness, meetings)
        for row, track in tracks.items():
            if len({_token_at(track, row, step) for step in sightings.get(row, ())}) > 1:
                raise InputError(f"witness {number} contradicts what is known of row {row}")
            pool.of_row[row].append(track)
        pool.tracks.append(tracks)
    return pool


def _follow(number: int, witness: Witness, meetings: Meetings) -> dict[int, Track]:
    """Tracks of the rows that exchange something."""
    tracks: dict[int, Track] = {}
    now = 0
    for time, rows, tokens in witness:
        zones = {meetings[row].get(time) if row in meetings else None for row in rows}
        if time < now or len(zones) != 1 or None in zones:
            raise InputError(f"witness {number} exchanges at step {time} outside a mix zone")
        before = sorted(_token_at(tracks.get(row), row, time) for row in rows)
        if len(set(rows)) < len(rows) or sorted(tokens) != before:
            raise InputError(f"witness {number} does not permute the tokens at step {time}")
        for row, token in zip(rows, tokens, strict=True):
            steps, held = tracks.setdefault(row, ([], []))
            if steps and steps[-1] == time:
                raise InputError(f"witness {number} exchanges twice at step {time}")
            steps.append(time)
            held.append(token)
        now = time
    return tracks


def _check_safe(number: int, claim: Claim, pool: _Pool) -> None:
    """K witnesses must show k different tokens."""
    known = [i for i in claim.witnesses if 0 <= i < len(pool.tracks)]
    shown = {pool.token(i, claim.row, claim.start) for i in known}
    if not len(shown) == len(claim.witnesses) == claim.k:
        raise InputError(f"claim {number} is not safe: its witnesses do not show k tokens")


def _check_unsafe(certificate: Certificate, pool: _Pool) -> tuple[int, int]:
    """Number of unsafe claims that are proven again, and of those that are only not contradicted.

    Raises
    ------
    InputError
        What is said to be possible is not fewer than k tokens, or not all that witnesses show.
    """
    unsafe = [
        (number, claim)
        for number, claim in enumerate(certificate.claims)
        if claim.verdict is Verdict.UNSAFE
    ]
    for number, claim in unsafe:
        shown = {_token_at(track, claim.row, claim.start) for track in pool.of_row[claim.row]}
        if not shown | {claim.row} <= set(claim.candidates):
            raise InputError(f"claim {number} leaves out a token that a witness shows")
        if len(claim.candidates) >= claim.k:
            raise InputError(f"claim {number} is not unsafe: it leaves k tokens or more")
    points = [(claim.row, claim.start) for _, claim in unsafe]
    left = reachable_tokens(certificate.problem, points) if points else []
    confirmed = sum(n < claim.k for n, (_, claim) in zip(left, unsafe, strict=True))
    return confirmed, len(unsafe) - confirmed


def _user_verdicts(certificate: Certificate) -> list[Verdict]:
    """Verdict on each user who was asked about."""
    time: dict[int, Counter[Verdict]] = defaultdict(Counter)
    for claim in certificate.claims:
        # Step 0 is before anything happens: it counts only where it was asked about.
        first = claim.start if certificate.k is None else max(claim.start, 1)
        time[claim.row][claim.verdict] += claim.end - first + 1
    return [_passes(counts, certificate.rule) for counts in time.values()]


def _passes(time: Counter[Verdict], rule: Rule) -> Verdict:
    """Verdict on a user from the steps for which she is safe, unsafe and undecided."""
    total, safe = time.total(), time[Verdict.SAFE]
    needed = {"every": total, "some": min(total, 1), "share": rule.share * total}[rule.kind]
    needed -= 1e-9 * total  # 0.7 of 10 steps is 7 of them, whatever the rounding of 0.7
    if safe >= needed:
        return Verdict.SAFE
    return Verdict.UNDECIDED if safe + time[Verdict.UNDECIDED] >= needed else Verdict.UNSAFE
