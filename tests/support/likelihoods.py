"""Random likelihoods of the pairs of mix zones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.model.csr import pointers
from mixsafe.model.question.likelihoods import PairLikelihoods
from mixsafe.model.question.problem import Problem
from mixsafe.weigh.exchange_models import TakingPart
from tests.support.oracles import posterior
from tests.support.worlds_to_weigh import core_of

Floats = npt.NDArray[np.float64]


def with_likelihoods(
    problem: Problem, random: np.random.Generator, scale: float, unknown: float = 0.2
) -> Problem:
    """The problem with normal log-likelihoods; those of a share of the zones are ``unknown``."""
    squares = problem.zones.sizes**2
    ptr = pointers(squares)
    begin = np.where(random.random(len(squares)) < unknown, -1, ptr[:-1]).astype(np.int64)
    found = PairLikelihoods(begin, random.normal(scale=scale, size=ptr[-1]), learned=True)
    return replace(problem, zones=replace(problem.zones, likelihoods=found))


def likelihoods_of(problem: Problem) -> list[Floats] | None:
    """Those of each zone, as it comes and leaves; 1 where they are unknown. None: nothing is."""
    found = problem.zones.likelihoods
    if found is None:
        return None
    listed = []
    for begin, size in zip(found.begin.tolist(), problem.zones.sizes.tolist(), strict=True):
        known = np.exp(found.log[begin : begin + size * size]) if begin >= 0 else np.ones(size**2)
        listed.append(known.reshape(size, size))
    return listed


def truth_of(problem: Problem, law: TakingPart) -> Floats:
    """(n_wires, n_rows) posterior, by enumeration of all assignments."""
    zones, network = problem.zones, core_of(problem).network
    zone, user = (
        np.broadcast_to(chances, count).tolist()
        for chances, count in ((law.zone, len(zones)), (law.user, zones.n_users))
    )
    found = posterior(problem, zone, user, likelihoods_of(problem))
    ends = zip(network.row.tolist(), network.end.tolist(), strict=True)
    return np.array([found[row, end] for row, end in ends])
