"""Terminal output of remedies: a table of what each costs, and what verify says afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from mixsafe.io.files.modes import PUBLISH, SECRET
from mixsafe.model.answer.next_steps import WEAK_PASS
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.answer.wording import plural, share
from mixsafe_cli.render.printing import (
    SHOWN,
    WORDS,
    Part,
    Written,
    data_line,
    facts,
    handing_on,
    headline,
    more_than_shown,
    table,
)

if TYPE_CHECKING:
    from mixsafe.tasks.remedies.applying import Applied
    from mixsafe.tasks.remedies.remedy import Protection, Remedy


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
    yield facts([("Data", data_line(path.name, one.group.asked.problem.zones))])
    yield ""
    yield _table(one)
    yield ""
    yield from _explained(one)
    yield from _about_group(one)
    if any(remedy.verdict is Verdict.WEAK_PASS for remedy in one.remedies):
        yield WEAK_PASS
    if one.group.left_out.any() and one.group.kept.any():
        yield written.where("Who is kept", "kept.csv")


def show_applied(remedy: Remedy, done: Applied | None) -> Iterator[Part]:
    """What became of a remedy that was to be applied; ``done``: None if it does not pass."""
    verdict = remedy.verdict if done is None else done.verdict
    number = f"Remedy {remedy.option.number}, {remedy.name}"
    if done is None:
        yield headline(*WORDS[verdict], f"{number}, does not pass. Nothing was written.")
        return
    if done.folder is None:
        said = f"{number}: what was written does not pass when it is read again, and was removed."
        yield headline(*WORDS[verdict], said)
        return
    people = plural(sum(remedy.counts.values()), "person", "people")
    yield headline(*WORDS[verdict], f"{number}: the data of {people} in {done.folder} pass.")
    yield ""
    yield table(("file", "what it is"), ((name, _FILES[name]) for name in done.files))
    yield ""
    yield f"Verified as read from these files. Once more: {done.how}"
    yield handing_on([done.folder / PUBLISH], [done.folder / SECRET])


_FILES = {
    "publish/release.csv": "places and times under pseudonyms that are exchanged in all mix zones",
    "publish/cells.csv": "the middle of each cell",
    "secret/traces.csv": "the same as the release under the names of people",
    "secret/kept.csv": "who is published",
    "secret/hidden.csv": "stretches that are hidden",
    "secret/problem.json": "mix zones, sightings, and what is asked of the published stretches",
    "secret/remedy.json": "the remedy, its costs, and how to verify it",
}

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
        return f"{path.name} fails as it is; {'; '.join(_passing(passing))}."
    best = max(others, key=lambda remedy: (remedy.pass_share, -remedy.left_out))
    many = f"{best.counts['safe']:,} of {sum(best.counts.values()):,} people pass"
    return f"{path.name}: best is '{best.name}', by which {many}."


def _passing(found: Sequence[Remedy]) -> Iterator[str]:
    """Remedies that pass, in words: the mildest of each kind, and how many combinations of two."""
    kinds: set[str] = set()
    for remedy in found:
        if remedy.name not in kinds and None in (remedy.option.ladder, remedy.option.also):
            yield _named(remedy)
        kinds.add(remedy.name)
    both = sum(None not in (one.option.ladder, one.option.also) for one in found)
    if both:
        yield f"{plural(both, 'combination passes', 'combinations pass')}"


def _named(remedy: Remedy) -> str:
    """A remedy that passes, in words."""
    said = [_changed(remedy)] if remedy.option.ladder else []
    if remedy.hiding is not None:
        said.append(f"with {share(remedy.hidden)} of the time hidden")
    elif remedy.left_out:
        said.append(f"without {plural(remedy.left_out, 'person', 'people')}")
    who = "the others pass" if remedy.left_out and remedy.hiding is None else "all pass"
    return f"{' and '.join(said)} {who}"


def _changed(remedy: Remedy) -> str:
    """How the data are published, in words."""
    if remedy.option.ladder == "larger cells":
        return f"with cells of {_size(remedy)}"
    if remedy.option.ladder == "longer steps":
        return f"with steps of {_length(remedy)}"
    return f"with rotations '{remedy.form.rotate}'"


_COLUMNS: tuple[tuple[str, Callable[[Remedy], str | Text]], ...] = (
    (">no.", lambda one: str(one.option.number)),
    ("remedy", lambda one: _short(one)),
    ("verdict", lambda one: Text(*WORDS[one.verdict])),
    (">left out", lambda one: f"{one.left_out:,}"),
    (">hidden", lambda one: share(one.hidden) if one.hiding else "-"),
    (">lost", lambda one: "-" if one.cost.lost is None else share(one.cost.lost)),
    (">off", lambda one: "-" if one.cost.metres is None else f"{one.cost.metres:,.0f} m"),
    (">late", lambda one: "-" if one.cost.minutes is None else f"{one.cost.minutes:.1f} min"),
    (">pass", lambda one: f"{one.counts['safe']:,}"),
    (">fail", lambda one: f"{one.counts['unsafe']:,}"),
    (">open", lambda one: f"{one.counts['undecided']:,}"),
    (">protected", lambda one: _protected(one)),
    (">s", lambda one: f"{one.seconds:.1f}"),
)
"""Headings and cells; columns that say nothing are left out."""


def _table(found: Protection) -> Part:
    """A row per remedy."""
    rows = [[cell(one) for _, cell in _COLUMNS] for one in found.remedies]
    said = [any(str(row[place]) != "-" for row in rows) for place in range(len(_COLUMNS))]
    said[[heading for heading, _ in _COLUMNS].index(">open")] = any(
        one.counts["undecided"] for one in found.remedies
    )
    headings = [heading for (heading, _), shown in zip(_COLUMNS, said, strict=True) if shown]
    return table(headings, (list(compress(row, said)) for row in rows))


def _explained(found: Protection) -> Iterator[Part]:
    """What columns say that need it."""
    costs = [one.cost for one in found.remedies]
    lost = any(cost.lost is not None for cost in costs)
    yield "Protected: share of published time at which people are safe."
    if lost:
        yield "Lost: share of all fixes that are not published."
    if any(one.hiding for one in found.remedies):
        yield "Hidden: share of the time asked about that is not published; otherwise all are safe."
    if any(one.counts["undecided"] for one in found.remedies):
        yield "Open: people who are undecided; more time (--time-limit) may tell."
    if any(cost.metres is not None or cost.minutes is not None for cost in costs):
        yield "Off, late: published fixes, from the middle of the cell and the begin of the step."


def _short(remedy: Remedy) -> str:
    """A remedy in a few words."""
    kinds = {
        "larger cells": f"cells {_size(remedy)}",
        "longer steps": f"steps {_length(remedy)}",
        "rotations": f"change {remedy.form.rotate}",
    }
    words = (
        kinds.get(remedy.option.ladder or ""),
        (remedy.option.also or "").split(" stretches")[0],
    )
    return ", ".join(filter(None, words)) or remedy.name


def _protected(remedy: Remedy) -> str:
    safe = remedy.share_of_time_safe
    return "-" if safe is None else share(safe)


def _size(remedy: Remedy) -> str:
    size = remedy.form.cell_size
    if size is None:
        return "-"
    return size if isinstance(size, str) else f"{size:g} m"


def _length(remedy: Remedy) -> str:
    seconds = remedy.form.time_step
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
