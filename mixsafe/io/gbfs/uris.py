"""Tokens of rental URIs that belong to a vehicle, and not to its identifier or the operator.

A deep link into an app, such as ``https://app.example/open?vehicle=SN-4711``, may name the
vehicle itself and so outlive all changes of its identifier.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

_WORD = re.compile(r"[A-Za-z0-9_-]+")
SHORTEST = 3
"""Letters of a token."""


def vehicle_tokens(
    uris: npt.NDArray[np.object_],
    tracklet: Ints,
    ids: npt.NDArray[np.str_],
    first: Ints,
    last: Ints,
) -> npt.NDArray[np.object_]:
    """The part of each record's URIs that can be of one vehicle only.

    That is, the tokens without the identifier and without those that two identifiers have at the
    same time, which are the operator's.

    Parameters
    ----------
    uris
        (n_records,) URIs, one per line; None: there are none.
    tracklet
        (n_records,) number of the identifier of each record.
    ids
        (n,) identifiers.
    first, last
        (n_records,) snapshots from and to which its identifier is published.

    Returns
    -------
    tokens
        (n_records,) texts; None where nothing is left.
    """
    held: list[tuple[str, ...]] = []
    until: dict[str, int] = {}
    shared: set[str] = set()
    order = np.argsort(first, kind="stable")
    words = [_words(text, str(ids[one])) for text, one in zip(uris, tracklet, strict=True)]
    holder: dict[str, int] = {}
    for row in order.tolist():
        for word in words[row]:
            if word in until and until[word] >= first[row] and holder[word] != tracklet[row]:
                shared.add(word)
            until[word] = max(until.get(word, -1), int(last[row]))
            holder[word] = int(tracklet[row])
    held = [tuple(word for word in one if word not in shared) for one in words]
    found = np.empty(len(uris), object)
    found[:] = [" ".join(one) or None for one in held]
    return found


def _words(text: str | None, identifier: str) -> tuple[str, ...]:
    """The tokens of a record's URIs, without its identifier."""
    if not text:
        return ()
    words = _WORD.findall(text.replace(identifier, " "))
    return tuple(sorted({word for word in words if len(word) >= SHORTEST}))
