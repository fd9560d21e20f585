"""Certificates of what was concluded about links of tracklets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.model.tracklets.links import LinkBounds, LinkProblem

Nodes = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class LinkProof:
    """One history, and why others have further links and no more.

    Cycles of the exchange graph lead from the history to the others. Its nodes are ends (0 to
    n - 1), beginnings (n to 2 n - 1) and the closing node, 2 n.

    Parameters
    ----------
    after
        (n,) the history: what continues each tracklet, or -1.
    label
        (2 n + 1,) numbers that no arc leads up to: what leads down is on no cycle.
    from_root
        (2 n + 1,) node from which an arc leads to each one, on a path from a root; the root itself
        at roots. Nodes with one root, there and back, are on cycles with each other.
    to_root
        (2 n + 1,) node to which an arc leads from each one, on a path to the same root.
    """

    after: Nodes
    label: Nodes
    from_root: Nodes
    to_root: Nodes


@dataclass(frozen=True, eq=False)
class LinkCertificate:
    """A problem, what is claimed of it, and a proof.

    Parameters
    ----------
    problem
        The tracklets and links.
    bounds
        What is claimed. A contradiction is its own proof.
    proof
        The proof; None: of a contradiction, or where no history is known.
    """

    problem: LinkProblem
    bounds: LinkBounds
    proof: LinkProof | None
