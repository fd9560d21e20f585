"""Terminal output of remedies: a table of what each costs, and what verify says afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from mixsafe.model.answer.next_steps import WEAK_PASS
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.answer.wording import plural, share
from mixsafe_cli.render.printing import (
    SHOWN,
    WORDS,
    Part,
    Written,
    headline,
    more_than_shown,
    table,
)

if TYPE_CHECKING:
    from mixsafe.tasks.remedies.protecting import Protection, Remedy


def show(found: Sequence[Protection], path: Path, written: Written) -> Iterator[Part]:
    """What was found.

    Parameters
    ----------
    found
        One per problem.
    path
        The source.
    written
        Where the answer went.
    """
    if len(found) != 1:
        headings = ("problem", "a remedy passes", ">users", ">left out")
        yield table(headings, map(_row, found[:SHOWN]))
        yield from more_than_shown(len(found))
        return
    (one,) = found
    yield headline(*_word(one), _said(one, path))
    yield ""
    amounts = (">left out", ">of fixes", ">cells", ">steps", ">mix zones")
    verdicts = (">pass", ">fail", ">undecided", ">protected", ">s")
    rows = (_cells(remedy) for remedy in one.remedies)
    yield table(("remedy", "verdict", *amounts, *verdicts), rows)
    yield ""
    yield "Protected: share of time at which the people who are published are safe."
    yield from _about_group(one)
    if any(remedy.verdict is Verdict.WEAK_PASS for remedy in one.remedies):
        yield WEAK_PASS
    if one.group.left_out.any() and one.group.kept.any():
        yield written.where("Who is kept", "kept.csv")


_ANSWERS = {
    Verdict.SAFE: "A REMEDY PASSES",
    Verdict.UNSAFE: "NO REMEDY PASSES",
    Verdict.UNDECIDED: "UNDECIDED",
}


def _word(one: Protection) -> tuple[str, str]:
    """The answer in words, and their style."""
    now = one.remedies[0]
    return WORDS[now.verdict] if now.passes else (_ANSWERS[one.verdict], WORDS[one.verdict][1])


def _said(one: Protection, path: Path) -> str:
    """The answer in a sentence."""
    now, *others = one.remedies
    if now.passes:
        return f"{path.name} passes as it is."
    passing = [remedy for remedy in others if remedy.passes]
    if passing:
        return f"{path.name} fails as it is; {' and '.join(map(_named, passing))}."
    best = max(others, key=lambda remedy: (remedy.pass_share, -remedy.left_out))
    many = f"{best.counts['safe']:,} of {sum(best.counts.values()):,} people pass"
    return f"{path.name}: best is '{best.name}', by which {many}."


def _named(remedy: Remedy) -> str:
    """A remedy that passes, in words."""
    if remedy.left_out:
        return f"without {plural(remedy.left_out, 'person', 'people')} the others pass"
    if remedy.name == "larger cells":
        return f"with cells of {_size(remedy)} all pass"
    return f"with steps of {_length(remedy)} all pass"


def _cells(remedy: Remedy) -> Iterator[str | Text]:
    answer = remedy.answer
    yield remedy.name
    yield Text(*WORDS[remedy.verdict])
    yield f"{remedy.left_out:,}"
    yield "-" if remedy.share_left_out is None else share(remedy.share_left_out)
    yield _size(remedy)
    yield _length(remedy)
    yield "0" if answer is None else f"{len(answer.problem.zones):,}"
    for number in remedy.counts.values():
        yield f"{number:,}"
    yield "-" if answer is None else share(answer.summary["share_of_time_safe"])
    yield f"{remedy.seconds:.1f}"


def _size(remedy: Remedy) -> str:
    size = remedy.grain.cell_size
    if size is None:
        return "-"
    return size if isinstance(size, str) else f"{size:g} m"


def _length(remedy: Remedy) -> str:
    seconds = remedy.grain.time_step
    if seconds is None:
        return "-"
    return f"{seconds / 60:g} min" if seconds >= 60 else f"{seconds} s"


def _about_group(one: Protection) -> Iterator[Part]:
    """The proof of the largest group, or the bounds on it."""
    group = one.group
    kept, best = int(group.kept.sum()), int(group.at_best.sum())
    if not group.left_out.any():
        return
    rounds = plural(group.rounds, "round", "rounds")
    if not group.exact:
        yield (
            f"The largest group that passes has {kept:,} to {best:,} people; more time"
            " (--time-limit) may tell."
        )
    elif kept:
        people = plural(kept, "person", "people")
        yield f"Every group that passes is a part of these {people}: proven, in {rounds}."
    else:
        yield f"No group of people passes, whoever is left out: proven, in {rounds}."


def _row(one: Protection) -> Iterator[str | Text]:
    """A problem in a line."""
    yield one.name
    yield Text(*_word(one))
    yield f"{one.group.asked.problem.zones.n_users:,}"
    yield f"{int(one.group.left_out.sum()):,}"
