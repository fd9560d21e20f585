"""Beliefs about releases whose pseudonyms never change hands: a matching of tracks and users.

Each track belongs to one user and each user to one track; a matching is as likely as the product
of its pairs' evidence. How likely a pair is over all matchings takes a permanent; belief
propagation (Huang, Jebara 2009; Vontobel 2013) comes close to it in a few rounds, and what it
finds is far better than asking of each track alone which user suits it best, since users who suit
everybody are shared out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.contest.posterior.loops import add_evidence, pass_messages
from mixsafe.contest.posterior.whereabouts import (
    BelievedPlaces,
    BelievedUsers,
    Floats,
    Posterior,
    believed,
)
from mixsafe.model.release.cells import Cells

ROUNDS = 8
"""Of messages; more change next to nothing."""

CERTAIN = np.float32(1e18)
"""The largest message that is told from certainty."""

BLOCK = 128
"""Users whose evidence is added up side by side."""


def static_belief(
    release: Cells, ratio: Floats, weight: Floats, step: npt.NDArray[np.int64]
) -> Posterior:
    """Beliefs about a release in which every pseudonym keeps its user."""
    n_users = release.n_rows
    total = np.zeros((n_users, n_users), np.float32)
    for first in range(0, n_users, BLOCK):
        part = total[:, first : first + BLOCK]
        add_evidence(release.code, ratio, step, weight[step], first, part)
    likely = matched(total)
    size, track, mass = believed(likely, np.arange(n_users, dtype=np.int32))
    places = BelievedPlaces.of_steps([(size, code[track], mass) for code in release.code.T])
    surest = likely.argmax(axis=1)[:, None].astype(np.int32)
    return Posterior(surest, places, [BelievedUsers.of_tracks(likely)])


def matched(evidence: Floats) -> Floats:
    """Probability of each pair over all matchings, nearly, (n_tracks, n_users).

    Parameters
    ----------
    evidence
        (n_tracks, n_users) logarithms; a constant for a row or a column changes nothing.
    """
    # Rows, then columns, so that no user's or track's exponentials vanish.
    level = evidence - evidence.max(axis=1, keepdims=True)
    level -= level.max(axis=0)
    likely = np.exp(level)
    from_user = np.ones_like(likely)
    from_track = np.empty_like(likely)
    for _ in range(ROUNDS):
        pass_messages(likely, from_user, from_track)
    odds = np.minimum(likely * from_user, CERTAIN) * np.minimum(from_track, CERTAIN)
    return np.asarray(odds / (1 + odds), dtype=np.float32)
