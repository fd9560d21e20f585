"""Answers for people: the verdict first, then who is least protected, then what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from mixsafe.documents.context import Context
from mixsafe.model.answer.headline import set_apart
from mixsafe.model.answer.place_words import place_sentences
from mixsafe.model.answer.verdict import DECISIONS, Verdict
from mixsafe_cli.failures import EXIT_STATUS
from mixsafe_cli.render.printing import (
    SHOWN,
    WORDS,
    Part,
    Protection,
    Written,
    apart_rows,
    facts,
    headline,
    least_protected,
    more_than_shown,
    said_first,
    table,
    what_next,
)

if TYPE_CHECKING:
    from mixsafe.verify.verification import Verification


def show(
    answers: list[Verification],
    path: Path,
    adversary: str,
    written: Written,
    exchanges: str | None = None,
) -> Iterator[Part]:
    """What was decided.

    Parameters
    ----------
    answers
        One per problem.
    path
        The source.
    adversary
        Knowledge of the adversary, in a line; of a single problem.
    written
        Where the answer went.
    exchanges
        When pseudonyms change, and among whom; None: the problem says it.
    """
    if len(answers) != 1:
        yield from _many(answers)
        return
    answer = answers[0]
    yield from said_first(answer.headline, "users")
    yield facts(_facts(answer, path, adversary, exchanges))
    yield ""
    yield from _least_protected(answer)
    yield what_next(answer.next_steps)
    yield written.where("Safe times of each user", "wires.csv")
    yield written.page()


def _facts(
    answer: Verification, path: Path, adversary: str, exchanges: str | None
) -> Iterable[tuple[str, str]]:
    zones, summary = answer.problem.zones, answer.summary
    yield "Rule", f"{summary['rule']}: {answer.rule.words}"
    places = answer.places
    also = f", at {places.least:,} or more places" if places and places.least > 1 else ""
    if answer.every_wire:
        yield "Asked", f"k = {answer.rows.k[0]} for every user at every time{also}"
    else:
        yield "Asked", f"{summary['requirements']:,} requirements{also}"
    yield "Data", Context(path.name).data(zones)
    yield "Adversary", adversary
    if exchanges is not None:
        yield "Exchanges", exchanges
    asked = "wires" if answer.every_wire else "requirements"
    yield (
        "Decided",
        f"{summary['safe']:,} {asked} safe, {summary['unsafe']:,} unsafe,"
        f" {summary['undecided']:,} undecided; engine {answer.engine}, {answer.seconds:.1f} s",
    )
    if places is not None:
        yield from (("Places", sentence) for sentence in place_sentences(summary["places"]))
    yield from apart_rows(set_apart(zones))


def _least_protected(answer: Verification) -> Iterator[Part]:
    """The users who are safe for the smallest part of the time, those who fail first.

    Of equal ones, those in no mix zone come first: no exchange can protect them.
    """
    zones = answer.problem.zones
    found, names = answer.user_rows, zones.users
    users = found.those(np.argsort(~np.isin(found.user, zones.alone), kind="stable"))
    words = np.array([verdict.value for verdict in DECISIONS])
    protection = Protection(
        names[users.user],
        words[users.verdict],
        users.safe_share,
        users.undecided_share,
        users.known_share,
        answer.rows.best(len(names))[users.user],
    )
    return least_protected(protection, "candidates proven, at best")


def _many(answers: list[Verification]) -> Iterator[Part]:
    """A line per problem, the worst first."""
    ordered = sorted(answers, key=lambda answer: _WORST_FIRST.index(answer.verdict))
    verdicts = [answer.verdict for answer in ordered]
    counts = ", ".join(f"{verdicts.count(one):,} {WORDS[one][0].lower()}" for one in _WORST_FIRST)
    worst = WORDS[verdicts[0] if verdicts else Verdict.SAFE]
    yield headline(*worst, f"of {len(answers):,} problems: {counts}")
    amounts = (">users", ">mix zones", ">safe", ">unsafe", ">undecided", ">seconds")
    yield table(("problem", "verdict", *amounts), map(_row, ordered[:SHOWN]))
    yield from more_than_shown(len(answers))


def _row(answer: Verification) -> Iterator[str | Text]:
    """A problem in a line."""
    zones = answer.problem.zones
    yield answer.problem.name
    yield Text(*WORDS[answer.verdict])
    for number in (zones.n_users, len(zones), *(answer.summary[word.value] for word in DECISIONS)):
        yield f"{number:,}"
    yield f"{answer.seconds:.2f}"


_WORST_FIRST = tuple(EXIT_STATUS)
