"""Checking certificates: witnesses are replayed from the definitions.

Nothing is shared with the engines but the data model, so that an error of theirs is not repeated
here. Witnesses come piece by piece, so that not all of them need fit into memory. The claims must
be about the question, with none missing, added or changed, and which users pass is computed anew
from them, by the rule.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.check.audit_paths import BasePaths
from mixsafe.check.minima import Least, alone, least_of
from mixsafe.check.replay import Occurrences, Tracks, follow
from mixsafe.check.unsafe import ShownUnsafe, shown_unsafe
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Certificate, Claims
from mixsafe.model.answer.verdict import DECISIONS, SAFE, UNDECIDED, UNSAFE, Verdict, overall
from mixsafe.model.csr import Ints, Whole


def check_asked(certificate: Certificate, places: Occurrences) -> None:
    """Refuse claims about anything but the question.

    Raises
    ------
    InputError
        A claim is missing, too many, or about something else.
    """
    claims, asked = certificate.claims, certificate.problem.requirements
    if certificate.k is not None:
        if asked is not None:
            raise InputError("k is asked of everybody, and there are requirements as well")
        if certificate.audited is None:
            _check_everything_asked(claims, certificate.k, places.n_rows, 0, places)
            _check_within_wires(claims, places)
        else:
            n_known = len(certificate.audited.seen.users)
            _check_everything_asked(claims, certificate.k, n_known, 1, places)
            _check_within_steps(claims, certificate.problem.zones.time)
        return
    if certificate.audited is not None:
        raise InputError("an audit asks k of every known user")
    if asked is None:
        raise InputError("nothing is asked: the problem has no requirements")
    columns = (
        (claims.row, asked.row),
        (claims.start, asked.time),
        (claims.end, asked.time),
        (claims.k, asked.k),
    )
    if not all(np.array_equal(claimed, wanted) for claimed, wanted in columns):
        raise InputError("the claims are not about the problem's requirements")
    exists = (asked.row >= 0) & (asked.row < places.n_rows) & (asked.time >= 0) & (asked.k >= 1)
    if not np.all(exists & (asked.time <= places.horizon)):
        raise InputError("a requirement is about a user, a step or a k that does not exist")


def _check_everything_asked(
    claims: Claims, k: int, n_users: int, first: int, places: Occurrences
) -> None:
    """Claims must cover each user's steps, from the ``first`` one on, without gaps."""
    horizon = places.horizon
    if k < 1:
        raise InputError(f"k = {k} asks for nothing")
    done = claims.end == horizon
    row = np.concatenate([[0], claims.row + done])  # of the claim that comes next, and its start
    start = np.concatenate([[first], np.where(done, first, claims.end + 1)])
    right = (claims.row == row[:-1]) & (claims.start == start[:-1]) & (claims.k == k)
    wrong = np.flatnonzero(~right | (claims.start > claims.end) | (claims.end > horizon))
    if len(wrong):
        n = wrong[0]
        raise InputError(f"claim {n} is not the next one about row {row[n]}, step {start[n]}")
    if (row[-1], start[-1]) != (n_users, first):
        raise InputError(f"the claims end before row {row[-1]}, step {start[-1]}")


def _check_within_wires(claims: Claims, places: Occurrences) -> None:
    """No claim may span an exchange of its user."""
    begin, end = (places.at(claims.row, step) + 1 for step in (claims.start, claims.end))
    spans = np.flatnonzero(places.meetings(begin, end))
    if len(spans):
        raise InputError(f"claim {spans[0]} spans a mix zone of its user")


def _check_within_steps(claims: Claims, zone_time: Whole) -> None:
    """No claim of an audit may span any mix zone: a token may be on any track."""
    last = np.searchsorted(zone_time, claims.end, side="right")
    spans = np.flatnonzero(last - np.searchsorted(zone_time, claims.start, side="right"))
    if len(spans):
        raise InputError(f"claim {spans[0]} spans a mix zone")


class JudgedUsers(NamedTuple):
    """Who passes by the rule.

    Parameters
    ----------
    users
        Number of users by verdict: users fail only by proven claims.
    claimed
        (n,) those of the undecided who would fail if unsafe verdicts were believed that are only
        claimed, ascending: rows, or known users of an audit.
    """

    users: dict[Verdict, int]
    claimed: Whole


def judged(certificate: Certificate, shown: ShownUnsafe) -> JudgedUsers:
    """Users who were asked about, by verdict, under the certificate's rule.

    Where everybody was asked about, those of whom there are no data do not count. An unsafe claim
    that nothing shows leaves its question open.
    """
    claims = certificate.claims
    only_claimed = np.zeros(len(claims), bool)
    only_claimed[shown.claimed] = True
    user, (total, safe, undecided, claimed) = _steps(
        certificate, claims.verdict == SAFE, claims.verdict == UNDECIDED, only_claimed
    )
    needed = certificate.rule.needed(total)
    passes, fails = safe >= needed, safe + undecided + claimed < needed
    counts = (passes.sum(), fails.sum(), (~passes & ~fails).sum())
    believed = ~fails & (safe + undecided < needed)
    return JudgedUsers(dict(zip(DECISIONS, map(int, counts), strict=True)), user[believed])


def passes_weakly(certificate: Certificate) -> bool:
    """Whether a pass is a weak one: by the default rule, which asks for one moment."""
    _, (total, safe) = _steps(certificate, certificate.claims.verdict == SAFE)
    by_default = certificate.rule.by_default and certificate.rule.kind == "some"
    return by_default and bool(np.any(safe < total))


def _steps(certificate: Certificate, *of: npt.NDArray[np.bool_]) -> tuple[Whole, list[Ints]]:
    """Users who count, ascending, and (n_users,) each: the steps of all claims, and of some.

    ``of`` are (n_claims,) each: whose steps are counted.
    """
    claims = certificate.claims
    if certificate.k is None or certificate.audited is not None:
        first = claims.start if certificate.k is None else np.maximum(claims.start, 1)
        steps = claims.end.astype(np.int64) - first + 1
    else:  # Nothing is published in step 0, and perhaps in others: they do not count.
        zones = certificate.problem.zones
        steps = zones.time_of(claims.row, claims.start, claims.end)
    asked, user = np.unique(claims.row, return_inverse=True)
    counts = np.ones(len(asked), bool)
    if certificate.k is not None and certificate.audited is None:
        counts = ~np.isin(asked, certificate.problem.zones.absent)
    sums = [
        np.bincount(user, np.where(those, steps, 0), len(asked)).astype(np.int64)[counts]
        for those in (np.ones(len(claims), bool), *of)
    ]
    return asked[counts], sums


@dataclass(frozen=True)
class Checked:
    """Result of checking a certificate.

    Parameters
    ----------
    safe
        Claims whose witnesses were replayed.
    unsafe_shown
        Number of unsafe claims that were proven again, by kind of proof.
    unsafe_claimed
        Unsafe claims that were neither contradicted nor proven again.
    undecided
        Claims that leave the question open.
    users
        Number of users by verdict, under the certificate's rule. Users fail only by proven
        claims.
    users_claimed
        Names of those of the undecided users who would fail if unsafe verdicts were believed that
        are only claimed.
    least
        Of zones that were chosen: what they cost, and what is proven that any would.
    weak
        Whether a pass is a weak one, by the default rule.
    """

    safe: int
    unsafe_shown: dict[str, int]
    unsafe_claimed: int
    undecided: int
    users: dict[Verdict, int]
    users_claimed: tuple[Hashable, ...]
    least: Least | None = None
    weak: bool = False

    def __repr__(self) -> str:
        shown = f"{self.safe:,} safe, {self.unsafe_confirmed:,} unsafe"
        open_ = f"{self.unsafe_claimed:,} only claimed, {self.undecided:,} undecided"
        return f"<Checked {self.verdict.value}: {shown}, {open_}>"

    @property
    def unsafe_confirmed(self) -> int:
        """Unsafe claims that were proven again."""
        return sum(self.unsafe_shown.values())

    @property
    def verdict(self) -> Verdict:
        """UNSAFE if some user provably fails, else UNDECIDED if one is undecided, else a pass."""
        return overall(self.users, weak=self.weak)


def check(certificate: Certificate) -> Checked:
    """Replay a certificate.

    Raises
    ------
    InputError
        A claim does not belong to the question, a witness breaks a rule of the problem, or a
        claim does not follow from its witnesses or proofs or is contradicted by some witness; or
        fewer zones might be enough than is said.
    """
    chosen = certificate.chosen
    if chosen is None:
        return _replayed(certificate)
    found = _replayed(alone(certificate, chosen))
    return replace(found, least=least_of(certificate, chosen, _is_shown))


def _is_shown(certificate: Certificate) -> bool:
    """Whether all claims of a certificate, unsafe ones, are proven again."""
    return _replayed(certificate).unsafe_confirmed == len(certificate.claims)


def _replayed(certificate: Certificate) -> Checked:
    """Replay claims, those about zones that were chosen in the problem of these zones."""
    audited, claims = certificate.audited, certificate.claims
    paths = None if audited is None else BasePaths.of(certificate, audited)
    places = Occurrences.of(certificate.problem) if paths is None else paths.places
    check_asked(certificate, places)
    _check_form(claims, len(certificate.witnesses))
    claims_along = claims if paths is None else paths.along(claims)
    unsafe, shown = _Unsafe.of(claims_along, places), _Shown.of(claims_along)
    number = 0
    for piece in certificate.witnesses.pieces():
        tracks = follow(piece, number, places)
        if paths is not None:
            tracks = paths.whereabouts(tracks, number)
        unsafe.check(tracks)
        shown.look(number, number + len(piece), tracks)
        number += len(piece)
    if number != len(certificate.witnesses):
        raise InputError("there are not as many witnesses as there should be")
    shown.check()
    proven = shown_unsafe(certificate)
    counts = claims.counts
    users, claimed = judged(certificate, proven)
    names = certificate.problem.zones.users if audited is None else audited.seen.users
    return Checked(
        counts[Verdict.SAFE],
        proven.counts,
        len(proven.claimed),
        counts[Verdict.UNDECIDED],
        users,
        tuple(names[claimed].tolist()),
        weak=passes_weakly(certificate),
    )


def _check_form(claims: Claims, n_witnesses: int) -> None:
    """Claims have what goes with their verdicts: k witnesses, or fewer than k candidates."""
    safe, unsafe = claims.verdict == SAFE, claims.verdict == UNSAFE
    wanted = np.where(safe, claims.k, 0)
    _refuse(claims.witnesses.sizes != wanted, "does not have k witnesses, if it is safe, or none")
    _refuse(~unsafe & (claims.candidates.sizes > 0), "has candidates and is not unsafe")
    _refuse(unsafe & (claims.candidates.sizes >= claims.k), "is not unsafe: it leaves k tokens")
    number, candidate = claims.witnesses.values, claims.candidates
    strange = (number < 0) | (number >= n_witnesses)
    _refuse_any(claims.witnesses.owner[strange], "is not safe: it has a witness that is not there")
    owner = candidate.owner
    disordered = (owner[1:] == owner[:-1]) & (np.diff(candidate.values) <= 0)
    _refuse_any(owner[1:][disordered], "has candidates that are not ascending")


def _refuse(wrong: np.ndarray[tuple[int], np.dtype[np.bool_]], what: str) -> None:
    """Refuse the first claim that is ``wrong``."""
    _refuse_any(np.flatnonzero(wrong), what)


def _refuse_any(wrong: Ints, what: str) -> None:
    if len(wrong):
        raise InputError(f"claim {wrong[0]} {what}")


@dataclass(frozen=True, eq=False)
class _Shown:
    """Candidates that witnesses of safe claims show on the claims' rows.

    Parameters
    ----------
    claims
        All claims.
    order
        Places in the list of all claims' witnesses, in the order of the witnesses.
    token
        (n,) int32: what each of all claims' witnesses shows on the row of its claim.
    """

    claims: Claims
    order: Ints
    token: Whole

    @classmethod
    def of(cls, claims: Claims) -> _Shown:
        numbers = claims.witnesses.values
        return cls(claims, np.argsort(numbers, kind="stable"), np.empty(len(numbers), np.int32))

    def look(self, begin: int, end: int, tracks: Tracks) -> None:
        """Collect the candidates that the witnesses ``begin`` to ``end - 1`` show."""
        numbers = self.claims.witnesses.values
        low, high = np.searchsorted(numbers, (begin, end), sorter=self.order)
        which = self.order[low:high]
        claim = np.searchsorted(self.claims.witnesses.ptr, which, side="right") - 1
        row, start = self.claims.row[claim], self.claims.start[claim]
        self.token[which] = tracks.tokens(numbers[which].astype(np.int64) - begin, row, start)

    def check(self) -> None:
        """K witnesses must show k different tokens."""
        owner = self.claims.witnesses.owner
        order = np.lexsort((self.token, owner))
        owner, token = owner[order], self.token[order]
        same = (owner[1:] == owner[:-1]) & (token[1:] == token[:-1])
        _refuse_any(owner[1:][same], "is not safe: its witnesses do not show k tokens")


@dataclass(frozen=True, eq=False)
class _Unsafe:
    """Unsafe claims, by place, with the tokens that they leave.

    Parameters
    ----------
    number
        (n,) of the claims.
    at
        (n,) their places, ascending.
    left
        (n_candidates,) int64, ascending: claim, by its place here, and candidate as one number.
    """

    number: Ints
    at: Ints
    left: Ints
    n_rows: int

    @classmethod
    def of(cls, claims: Claims, places: Occurrences) -> _Unsafe:
        """Unsafe claims; each must leave its row's own token, and nothing but tokens.

        Raises
        ------
        InputError
            One does not.
        """
        candidate = claims.candidates
        strange = (candidate.values < 0) | (candidate.values >= places.n_rows)
        _refuse_any(candidate.owner[strange], "leaves a token that does not exist")
        number = np.flatnonzero(claims.verdict == UNSAFE)
        at = places.at(claims.row[number], claims.start[number])
        order = np.argsort(at, kind="stable")
        number, at = number[order], at[order]
        rank = np.full(len(claims), -1, np.int64)
        rank[number] = np.arange(len(number))
        left = np.sort(rank[candidate.owner] * places.n_rows + candidate.values)
        made = cls(number, at, left, places.n_rows)
        made._must_leave(np.arange(len(number)), claims.row[number])
        return made

    def _must_leave(self, claim: Ints, token: Whole) -> None:
        wanted = claim * self.n_rows + token
        there = np.minimum(np.searchsorted(self.left, wanted), max(len(self.left) - 1, 0))
        gone = self.left[there] != wanted if len(self.left) else np.ones(len(wanted), bool)
        _refuse_any(np.sort(self.number[claim[gone]]), "leaves out a token that a witness shows")

    def check(self, tracks: Tracks) -> None:
        """No witness may show a token that a claim leaves out, whether it is the claim's or not."""
        places = tracks.places
        low = np.searchsorted(self.at, places.at(tracks.row, tracks.begin))
        high = np.searchsorted(self.at, places.at(tracks.row, tracks.end))
        sizes = high - low
        ends = np.cumsum(sizes)
        claim = np.arange(sizes.sum()) + np.repeat(low - ends + sizes, sizes)
        self._must_leave(claim, np.repeat(tracks.token, sizes))
