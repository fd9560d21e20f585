"""Beliefs about releases whose pseudonyms never change hands: a matching of tracks and users.

Each track belongs to one user and each user to one track; a matching is as likely as the product
of its pairs' evidence. How likely a pair is over all matchings takes a permanent; belief
propagation (Huang, Jebara 2009; Vontobel 2013) comes close to it in a few rounds, and what it
finds is far better than asking of each track alone which user suits it best, since users who suit
everybody are shared out.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from mixsafe.contest.posterior.enumerated import ENUMERATED
from mixsafe.contest.posterior.loops import pass_messages
from mixsafe.contest.posterior.whereabouts import (
    BelievedPlaces,
    BelievedUsers,
    Floats,
    Posterior,
    believed,
)
from mixsafe.model.release import Cells

ROUNDS = 8
"""Of messages; more change next to nothing."""

CERTAIN = np.float32(1e18)
"""The largest message that is told from certainty."""


def static_belief(release: Cells, evidence: Floats) -> Posterior:
    """Beliefs about a release in which every pseudonym keeps its user.

    Parameters
    ----------
    evidence
        (n_tracks, n_users) log-ratios of each track and user.
    """
    exact = release.n_rows <= ENUMERATED
    likely = matched_exactly(evidence) if exact else matched(evidence)
    size, track, mass = believed(likely, np.arange(release.n_rows, dtype=np.int32))
    places = BelievedPlaces.of_steps([(size, code[track], mass) for code in release.code.T])
    surest = likely.argmax(axis=1)[:, None].astype(np.int32)
    return Posterior(surest, places, [BelievedUsers.of_tracks(likely)])


def matched_exactly(evidence: Floats) -> Floats:
    """Probability of each pair over all matchings, enumerated; as :func:`matched`."""
    tracks = np.arange(len(evidence))
    user_of = np.array(list(permutations(tracks)))  # a row per matching
    both = evidence.astype(np.float64)[tracks, user_of].sum(axis=1)
    chance = np.exp(both - both.max())
    found = np.zeros(evidence.shape)
    np.add.at(found, (tracks, user_of), (chance / chance.sum())[:, None])
    return found.astype(np.float32)


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
