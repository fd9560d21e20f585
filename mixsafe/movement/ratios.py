"""Likelihood ratios of continuations: how much more often features occur if a goes on as b.

A pair of tracks has features, such as the distance and the time between them. Each feature, or a
few together, is put into bins; the likelihood ratio of a bin is the share of true continuations in
it, by the share of all other pairs in it. What is learned is a table of such ratios, and the ratio
of a pair is the product over tables of independent features. (Neyman and Pearson 1933: nothing
tells continuations from other pairs better than this ratio.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_PRIOR = 1.0
"""Continuations, and other pairs, that each table is taken to have seen beforehand; they are
distributed as the other kind is, so that a bin that one kind has never been in stays possible."""


@dataclass(frozen=True, eq=False)
class Binned:
    """Features of pairs that are put into bins together.

    Parameters
    ----------
    names
        Of the features.
    edges
        For each feature the lower edges of its bins, ascending; what is below the first is in the
        first bin.
    given
        So many of the first features are given: the ratio is of the others where these are known.
    """

    names: tuple[str, ...]
    edges: tuple[Floats, ...]
    given: int = 0

    def __post_init__(self) -> None:
        if any(not len(edge) or np.any(np.diff(edge) <= 0) for edge in self.edges):
            raise InputError(f"the bins of {' and '.join(self.names)} do not ascend")

    @property
    def shape(self) -> tuple[int, ...]:
        """Bins of each feature."""
        return tuple(len(edge) for edge in self.edges)

    def bins(self, features: Mapping[str, Floats]) -> npt.NDArray[np.int32]:
        """(n,) number of the bin of each pair; -1 where a feature is not known."""
        number = np.zeros(len(features[self.names[0]]), np.int32)
        unknown = np.zeros(len(number), bool)
        for name, edge in zip(self.names, self.edges, strict=True):
            value = features[name]
            place = np.searchsorted(edge, value, "right") - 1
            number *= np.int32(len(edge))
            number += np.maximum(place, 0).astype(np.int32)
            unknown |= np.isnan(value)
        number[unknown] = -1
        return number

    def learn(
        self, bins: npt.NDArray[np.int32], belief: Floats, others: Floats | None = None
    ) -> RatioTable:
        """Learn ratios from pairs, each of which is a continuation with some belief.

        Parameters
        ----------
        bins
            (n,) of :meth:`bins`.
        belief
            (n,) chance that the pair is a continuation, 0 to 1.
        others
            (n_bins,) how many other pairs are in each bin, where that is known; None: the pairs
            that are no continuations.
        """
        true = self.counts(bins, belief)
        if others is None:
            others = np.maximum(self.counts(bins) - true, 0.0)
        return RatioTable.of(self, true, others)

    def counts(self, bins: npt.NDArray[np.int32], weights: Floats | None = None) -> Floats:
        """(n_bins,) pairs in each bin, or the sum of their weights."""
        known, size = bins >= 0, int(np.prod(self.shape))
        weights = None if weights is None else weights[known]
        return np.bincount(bins[known], weights, minlength=size).astype(np.float64)


@dataclass(frozen=True, eq=False)
class RatioTable:
    """What was learned of some features.

    Parameters
    ----------
    binned
        The features, and their bins.
    log_ratio
        Natural logarithm of the likelihood ratio of each bin, in the shape of the bins.
    true, others
        Continuations and other pairs that were in each bin.
    """

    binned: Binned
    log_ratio: Floats
    true: Floats
    others: Floats

    @classmethod
    def of(cls, binned: Binned, true: Floats, others: Floats) -> RatioTable:
        """Ratios from counts of continuations and of other pairs, (n_bins,) each."""
        rows = int(np.prod(binned.shape[: binned.given]))
        true, others = true.reshape(rows, -1), others.reshape(rows, -1)
        share_true, share_others = _shares(true), _shares(others)
        n_true, n_others = (n.sum(axis=1, keepdims=True) for n in (true, others))
        one = (true + _PRIOR * share_others) / (n_true + _PRIOR)
        other = (others + _PRIOR * share_true) / (n_others + _PRIOR)
        seen = (one > 0) & (other > 0)
        ratio = np.log(np.divide(one, other, out=np.ones_like(one), where=seen))
        shape = binned.shape
        return cls(binned, ratio.reshape(shape), true.reshape(shape), others.reshape(shape))

    def of_bins(self, bins: npt.NDArray[np.int32]) -> Floats:
        """(n,) logarithms of the ratios of pairs by their bins; 0 where a feature is not known."""
        found: Floats = np.append(self.log_ratio.ravel(), 0.0)[bins]
        return found

    def to_dict(self) -> dict[str, Any]:
        """The table as JSON."""
        return {
            "features": list(self.binned.names),
            "given": self.binned.given,
            "edges": [edge.tolist() for edge in self.binned.edges],
            "true": _rounded(self.true).tolist(),
            "others": _rounded(self.others).tolist(),
        }

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> RatioTable:
        """The table from what :meth:`to_dict` says.

        Raises
        ------
        InputError
            It is no such table.
        """
        try:
            edges = tuple(np.asarray(edge, np.float64) for edge in said["edges"])
            binned = Binned(tuple(map(str, said["features"])), edges, int(said["given"]))
            counts = [np.asarray(said[key], np.float64).ravel() for key in ("true", "others")]
        except (KeyError, TypeError, ValueError) as error:
            raise InputError("the movement model has a table that is none") from error
        size = int(np.prod(binned.shape))
        if any(len(n) != size or not np.all(n >= 0) for n in counts):
            raise InputError(f"the movement model has a table of {binned.names} that is none")
        return cls.of(binned, *counts)


def _rounded(counts: Floats) -> Floats:
    """Counts to six significant digits: those of rare bins matter, too."""
    size = np.floor(np.log10(counts, out=np.zeros_like(counts), where=counts > 0))
    scale = 10.0 ** (5 - size)
    found: Floats = np.round(counts * scale) / scale
    return found


def _shares(counts: Floats) -> Floats:
    """Counts of each row as shares of it; rows without any as zeros."""
    total = counts.sum(axis=1, keepdims=True)
    found: Floats = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    return found


def log_ratios(tables: Sequence[RatioTable], features: Mapping[str, Floats]) -> Floats:
    """(n,) logarithms of the likelihood ratios of pairs, by all tables."""
    total = np.zeros(len(next(iter(features.values()))))
    for table in tables:
        total += table.of_bins(table.binned.bins(features))
    return total
