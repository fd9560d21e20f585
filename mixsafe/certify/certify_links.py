"""Certificates of what was concluded about links of tracklets."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order

from mixsafe.model.tracklets import LinkBounds, LinkCertificate, LinkProblem, LinkProof, Nodes
from mixsafe.tracklets.matching import History, components, exchange_graph, history_of


def certify_links(problem: LinkProblem, bounds: LinkBounds) -> LinkCertificate:
    """The certificate of an answer: linear in tracklets and links.

    Pairs of ``same`` are left out of the proof: what it excludes is excluded, and the rest is only
    claimed.

    Parameters
    ----------
    problem
        The tracklets and links.
    bounds
        What :func:`mixsafe.tracklets.histories.decide` found of them.
    """
    history = None if bounds.contradiction is not None else history_of(problem)
    proof = _proof(problem, history) if isinstance(history, History) else None
    return LinkCertificate(problem, bounds, proof)


def _proof(problem: LinkProblem, history: History) -> LinkProof:
    graph, label = exchange_graph(problem, history).tocoo(), components(problem, history)
    if np.any(label[graph.col] > label[graph.row]):
        label = np.zeros_like(label)  # SciPy numbers them so, but does not promise to
    inside = label[graph.col] == label[graph.row]
    heads, tails = graph.row[inside], graph.col[inside]
    return LinkProof(history.after, label, _tree(heads, tails, label), _tree(tails, heads, label))


def _tree(heads: Nodes, tails: Nodes, label: Nodes) -> Nodes:
    """Predecessor of each node on a path from the first one with its label; its own at roots."""
    n = len(label)
    roots = np.unique(label, return_index=True)[1]
    begin = np.concatenate([heads, np.full(len(roots), n)])
    end = np.concatenate([tails, roots])
    ones = np.ones(len(begin), np.int8)
    graph = csr_array(coo_array((ones, (begin, end)), shape=(n + 1, n + 1)))
    before = breadth_first_order(graph, n)[1][:n].astype(np.int32)
    return np.where((before < 0) | (before == n), np.arange(n, dtype=np.int32), before)
