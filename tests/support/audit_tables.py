"""Tables of audits of small releases, read as brute force tells its answers."""

from __future__ import annotations

from mixsafe.release.audit import Audit


def found_tracks(answer: Audit, n_steps: int, *, proven: bool) -> dict[tuple[int, int], set[int]]:
    """Tracks of each user and time in the table of candidates."""
    found: dict[tuple[int, int], set[int]] = {
        (user, t): set() for user in answer.users["user_id"] for t in range(1, n_steps + 1)
    }
    assert answer.candidates is not None
    for row in answer.candidates.itertuples():
        if row.proven or not proven:
            for t in range(row.from_time - 40, row.to_time - 40 + 1):
                found[row.user_id, t].add(row.pse_id - answer.evidence.zones.n_users - 1)
    return found
