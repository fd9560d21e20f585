"""Whether clauses contradict each other, shown lemma by lemma (LRAT without deletions).

A lemma follows by *unit propagation*: take all its literals to be false, and look at the clauses
that it names, in their order. In each, all literals but one must be false by then; so that one is
true. In the last, all are false, which cannot be. The last lemma has no literals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mixsafe.errors import InputError

Clause = Sequence[int]
"""Literals, of which one is true: variables from 1 on, negative where they are negated."""


def refute(clauses: Sequence[Clause], lemmas: Sequence[int]) -> None:
    """Check that ``clauses`` contradict each other.

    Parameters
    ----------
    clauses
        What is known to hold.
    lemmas
        Each lemma's literals, 0, the places of clauses and earlier lemmas that it follows from, 0.

    Raises
    ------
    InputError
        A lemma does not follow from what it names, or the last one is not empty.
    """
    known = list(clauses)
    last: Clause | None = None
    for literals, named in lemmas_of(lemmas):
        if not all(1 <= place <= len(known) for place in named):
            raise InputError(f"lemma {len(known) - len(clauses)} names what is not known")
        if not _follows(literals, [known[place - 1] for place in named]):
            raise InputError(f"lemma {len(known) - len(clauses)} does not follow")
        known.append(literals)
        last = literals
    if last is None or len(last):
        raise InputError("the last lemma is no contradiction")


def lemmas_of(flat: Sequence[int]) -> Iterator[tuple[Clause, Clause]]:
    """Literals of each lemma, and the places that it names.

    Raises
    ------
    InputError
        The list ends within a lemma.
    """
    begin, parts = 0, []
    for at, number in enumerate(flat):
        if number == 0:
            parts.append(flat[begin:at])
            begin = at + 1
    if begin < len(flat) or len(parts) % 2:
        raise InputError("the lemmas end within one")
    yield from zip(parts[::2], parts[1::2], strict=True)


def _follows(literals: Clause, clauses: Sequence[Clause]) -> bool:
    """Whether taking ``literals`` to be false makes all literals of some clause false."""
    false = set(literals)
    for clause in clauses:
        left = {literal for literal in clause if literal not in false}
        if not left:
            return True
        if len(left) > 1:
            return False
        false.add(-left.pop())
    return False
