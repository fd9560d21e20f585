"""Sets of tokens per wire, as bits: token c is bit ``c % 64`` of word ``c // 64``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner

TokenSets = npt.NDArray[np.uint64]
"""(n_wires, words) uint64."""


def identity(row: npt.NDArray[np.int32], words: int) -> TokenSets:
    """Sets with the token of each wire's own row."""
    sets = np.zeros((len(row), words), np.uint64)
    put(sets, np.arange(len(row)), row)
    return sets


def set_of(tokens: npt.NDArray[np.integer], words: int) -> npt.NDArray[np.uint64]:
    """(words,) uint64: the set of ``tokens``, which may contain duplicates."""
    return sets_of(np.zeros(len(tokens), np.int64), tokens, 1, words)[0]


def sets_of(
    number: npt.NDArray[np.integer], tokens: npt.NDArray[np.integer], n_sets: int, words: int
) -> TokenSets:
    """(n_sets, words): for each token the ``number`` of a set that it is in; pairs may repeat."""
    sets = np.zeros((n_sets, words), np.uint64)
    np.bitwise_or.at(sets, (number, tokens // 64), _bit(tokens))
    return sets


def are_in(
    sets: TokenSets, wires: npt.NDArray[np.int64], tokens: npt.NDArray[np.integer] | int
) -> npt.NDArray[np.bool_]:
    """(n,) whether each of ``wires`` holds the token at the same place, or the only one."""
    tokens = np.asarray(tokens)
    return np.asarray(sets[wires, tokens // 64] & _bit(tokens) != 0)


def put(
    sets: TokenSets, wires: npt.NDArray[np.int64], tokens: npt.NDArray[np.integer] | int
) -> None:
    """Add a token to each of ``wires``, which are distinct: one for each, or one for all."""
    tokens = np.asarray(tokens)
    sets[wires, tokens // 64] |= _bit(tokens)


def exclude(sets: TokenSets, wires: npt.NDArray[np.int64], token: int) -> None:
    """Remove a token from each of ``wires``."""
    sets[wires, token // 64] &= ~_bit(np.asarray(token))


def _bit(tokens: npt.NDArray[np.integer]) -> npt.NDArray[np.uint64]:
    return np.asarray(np.uint64(1) << (tokens % 64).astype(np.uint64))


def everything(n_wires: int, n_tokens: int) -> TokenSets:
    """Sets with all of ``n_tokens`` tokens on each wire."""
    words = (n_tokens + 63) // 64
    full = np.full(words, ~np.uint64(0))
    if n_tokens % 64:
        full[-1] = (np.uint64(1) << np.uint64(n_tokens % 64)) - np.uint64(1)
    return np.tile(full, (n_wires, 1))


def count(sets: TokenSets) -> npt.NDArray[np.int32]:
    """Number of tokens per wire, (n_wires,)."""
    return np.bitwise_count(sets).sum(axis=1, dtype=np.int32)


def members(tokens: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Tokens of one set, (words,) uint64, ascending."""
    return pairs(tokens[None])[1]


def pairs(sets: TokenSets) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(n,) each: number of a set, and a token that it holds; sets in order, tokens ascending."""
    bits = np.unpackbits(sets.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    number, token = np.nonzero(bits)
    return number, token


@inner
def in_word(bits: np.uint64, word: int) -> Iterator[int]:  # pragma: no cover - compiled
    """The tokens of one word of a set, ascending."""
    token = word * 64
    while bits:
        if bits & np.uint64(1):
            yield token
        bits >>= np.uint64(1)
        token += 1


@inner
def bit(c: int) -> np.uint64:  # pragma: no cover - compiled
    """Token ``c`` in its word, for sets whose words are not side by side."""
    return np.uint64(1) << np.uint64(c & 63)


@inner
def add(tokens: npt.NDArray[np.uint64], c: int) -> None:  # pragma: no cover - compiled
    """Add token ``c`` to one set, (words,) uint64."""
    tokens[c >> 6] |= np.uint64(1) << np.uint64(c & 63)


@inner
def remove(tokens: npt.NDArray[np.uint64], c: int) -> None:  # pragma: no cover - compiled
    """Remove token ``c`` from one set."""
    tokens[c >> 6] &= ~(np.uint64(1) << np.uint64(c & 63))


@inner
def holds(tokens: npt.NDArray[np.uint64], c: int) -> bool:  # pragma: no cover - compiled
    """Whether token ``c`` is in one set."""
    return (tokens[c >> 6] >> np.uint64(c & 63)) & np.uint64(1) != 0


@inner
def meets(  # pragma: no cover - compiled
    one: npt.NDArray[np.uint64], other: npt.NDArray[np.uint64], but: int
) -> bool:
    """Whether two sets have a token other than ``but`` in common; -1: any token."""
    for word in range(len(one)):
        common = one[word] & other[word]
        if word == but >> 6:
            common &= ~(np.uint64(1) << np.uint64(but & 63))
        if common:
            return True
    return False


@inner
def size(tokens: npt.NDArray[np.uint64]) -> int:  # pragma: no cover - compiled
    """Number of tokens in one set."""
    n = 0
    for bits in tokens:
        while bits:
            bits &= bits - np.uint64(1)
            n += 1
    return n


@inner
def below(  # pragma: no cover - compiled
    tokens: npt.NDArray[np.uint64], members: npt.NDArray[np.int64]
) -> int:
    """Write the tokens of a set below ``len(members)`` to it, ascending; their number."""
    n = 0
    for word in range((len(members) + 63) // 64):
        for token in in_word(tokens[word], word):
            if token < len(members):
                members[n] = token
                n += 1
    return n
