"""Reader of problems of tracklets and links in JSON, and what is answered to them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.io.files.content import unpacked_head_of
from mixsafe.io.files.json_values import ObjectReader, objects_of, shown
from mixsafe.model.csr import pointers
from mixsafe.model.tracklets import ChainBounds, LinkBounds, LinkProblem

MOST_TRACKLETS = 10_000_000
"""Limit of ``tracklets``: a few bytes of input must not allocate all memory."""

NONE = "none"
"""What is answered where nothing continues a tracklet, or it continues nothing."""


def read_link_problems(path: str | os.PathLike[str]) -> list[LinkProblem]:
    """Read problems from a JSON file (an object or a list of objects) or JSON Lines.

    Raises
    ------
    InputError
        Names the line of malformed JSON, or the key at fault: it is missing or has another type, a
        tracklet is unknown or ends before it begins, a link goes backwards in time or is there
        twice, or a pair of ``same`` is one tracklet.
    """
    file = os.fspath(path)
    return [_Reader(file, one.line).problem(one.value, one.name) for one in objects_of(path)]


def holds_link_problems(path: str | os.PathLike[str]) -> bool:
    """Whether a file has problems of tracklets and links; its name and beginning say so."""
    file = Path(path)
    is_json = file.suffix.lower() in (".json", ".jsonl") and file.is_file()
    return is_json and b'"tracklets"' in unpacked_head_of(file)


def link_answers(
    problem: LinkProblem, bounds: LinkBounds, chains: Iterable[ChainBounds]
) -> dict[str, Any]:
    """What JSON says of a problem.

    Where something is not decided, ``next_possible`` and so on are there too: what no proof
    excludes.

    Parameters
    ----------
    problem
        The tracklets and links.
    bounds
        What is known of links.
    chains
        What is known of chains.
    """
    if bounds.contradiction is not None:
        why = bounds.contradiction
        shown = {
            "continue": why.ends.tolist(),
            "come": why.begins.tolist(),
            "same": problem.same[why.pairs].tolist(),
        }
        return {"name": problem.name, "contradicted": True, "contradiction": shown}
    owner, to = problem.owner, problem.to
    answers = {
        "name": problem.name,
        "contradicted": False,
        "next": _listed(owner, to, bounds.proven, bounds.may_end),
        "previous": _listed(to, owner, bounds.proven, bounds.may_begin),
    }
    if not bounds.decided:
        possible, may_end = bounds.possible, bounds.may_end_possible
        answers["next_possible"] = _listed(owner, to, possible, may_end)
        answers["previous_possible"] = _listed(to, owner, possible, bounds.may_begin_possible)
    return answers | {"chain": [_chain(one) for one in chains]}


def _listed(
    owner: npt.NDArray[np.int32],
    to: npt.NDArray[np.int32],
    there: npt.NDArray[np.bool_],
    none: npt.NDArray[np.bool_],
) -> dict[str, list[str]]:
    """The candidates of each tracklet."""
    order = np.flatnonzero(there)[np.lexsort((to[there], owner[there]))]
    ends = pointers(np.bincount(owner[there], minlength=len(none)))[1:-1]
    groups = np.split(to[order], ends) if len(none) else []
    return {
        str(i): _names(group, without)
        for i, (group, without) in enumerate(zip(groups, none.tolist(), strict=True))
    }


def _chain(found: ChainBounds) -> dict[str, Any]:
    answer = {
        "tracklet": found.tracklet,
        "time": found.time,
        "candidates": _names(found.proven, found.may_be_none),
    }
    if not found.decided:
        answer["possible"] = _names(found.possible, found.may_be_none_possible)
    return answer


def _names(tracklets: npt.NDArray[np.integer], none: bool) -> list[str]:
    """Candidates as in all answers: tracklets in ascending order, and "none" behind."""
    return [*map(str, tracklets.tolist()), *([NONE] if none else [])]


class _Reader(ObjectReader):
    """Builds problems from JSON objects."""

    def problem(self, found: object, name: str) -> LinkProblem:
        """Build the problem that an object describes; ``name`` is the default name."""
        if not isinstance(found, dict):
            self.refuse("a problem must be an object with tracklets, alive and links", None)
        self.check_keys(found, "tracklets", "alive", "links")
        n = self.count(found["tracklets"], "tracklets", MOST_TRACKLETS)
        alive = self._alive(found["alive"], n)
        ptr, to = self._links(found["links"], alive)
        return LinkProblem(
            first=alive[:, 0].copy(),
            last=alive[:, 1].copy(),
            ptr=ptr,
            to=to,
            must_continue=self._chosen(found, "continue", n),
            must_come=self._chosen(found, "come", n),
            same=self._same(found.get("same", []), n),
            name=self.name(found.get("name", name)),
        )

    def _alive(self, found: object, n: int) -> npt.NDArray[np.int64]:
        """(n, 2) times of the first and the last record."""
        alive = self._pairs(found, "alive", "[first, last]")
        if len(alive) != n:
            self.refuse(f"there are {len(alive)} intervals for {n} tracklets", "alive")
        wrong = np.flatnonzero(alive[:, 1] < alive[:, 0])
        if len(wrong):
            first, last = alive[wrong[0]].tolist()
            what = f"tracklet {wrong[0]} ends at {last}, before it begins at {first}"
            self.refuse(what, "alive", "write [first, last]")
        return alive

    def _links(
        self, found: object, alive: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Links in ascending order, by their first tracklet."""
        n = len(alive)
        links = self._pairs(found, "links", "[from, to]")
        self._check_known(links, n, "links")
        backwards = np.flatnonzero(alive[links[:, 0], 1] >= alive[links[:, 1], 0])
        if len(backwards):
            one, other = links[backwards[0]].tolist()
            what = (
                f"the link [{one}, {other}] does not go forward in time: {one} ends at "
                f"{alive[one, 1]}, {other} begins at {alive[other, 0]}"
            )
            self.refuse(what, "links", "a tracklet is continued after its last record")
        links = links[np.lexsort((links[:, 1], links[:, 0]))]
        twice = np.flatnonzero(np.all(links[1:] == links[:-1], axis=1))
        if len(twice):
            self.refuse(f"the link {links[twice[0]].tolist()} is there twice", "links")
        ptr = pointers(np.bincount(links[:, 0], minlength=n))
        return ptr, links[:, 1].astype(np.int32)

    def _chosen(self, found: Mapping[str, object], key: str, n: int) -> npt.NDArray[np.bool_]:
        """(n,) tracklets that a list names."""
        listed = self.listed(found.get(key, []), key, "tracklets")
        for one in listed:
            if not _is_whole(one):
                self.refuse(f"{shown(one)} is not the number of a tracklet", key)
        numbers = np.array(listed, np.int64)
        self._check_known(numbers, n, key)
        chosen = np.zeros(n, bool)
        chosen[numbers] = True
        return chosen

    def _same(self, found: object, n: int) -> npt.NDArray[np.int32]:
        """(n_same, 2) pairs of tracklets of one vehicle."""
        same = self._pairs(found, "same", "[tracklet, tracklet]")
        self._check_known(same, n, "same")
        alone = np.flatnonzero(same[:, 0] == same[:, 1])
        if len(alone):
            self.refuse(f"the pair {same[alone[0]].tolist()} is one tracklet", "same")
        return same.astype(np.int32)

    def _pairs(self, found: object, key: str, shape: str) -> npt.NDArray[np.int64]:
        """(n, 2) whole numbers."""
        for number, pair in enumerate(self.listed(found, key, shape)):
            if not isinstance(pair, list) or len(pair) != 2 or not all(map(_is_whole, pair)):
                what = f"entry {number} is {shown(pair)}, not {shape} in whole numbers"
                self.refuse(what, key)
        return np.array(found, np.int64).reshape(-1, 2)

    def _check_known(self, numbers: npt.NDArray[np.int64], n: int, key: str) -> None:
        strange = numbers[(numbers < 0) | (numbers >= n)]
        if len(strange):
            what = f"tracklet {strange[0]} is not one of the tracklets 0 to {n - 1}"
            self.refuse(what, key)


def _is_whole(value: object) -> bool:
    # isinstance(True, int) holds in Python.
    return type(value) is int and abs(value) < 2**63
