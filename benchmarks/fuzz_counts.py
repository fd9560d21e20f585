"""What became of changed files: counts by command and by change, and a file that keeps them."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.fuzzed import Fuzzed

TOLD = 160
"""Characters of a message, from its end, that tell flaws apart."""


@dataclass
class Counts:
    """What became of some inputs.

    Parameters
    ----------
    counts
        Inputs by command with its file, change, and answer.
    flaws
        Numbers of inputs by command with its file, and what was found.
    seconds
        Of a processor that they took.
    """

    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    flaws: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    seconds: float = 0.0

    @property
    def inputs(self) -> int:
        """How many."""
        return sum(self.counts.values())

    def add(self, number: int, words: tuple[str, ...], done: Fuzzed) -> list[str]:
        """One input more; what was found at it."""
        command = " ".join(words[: 1 + (words[0] in ("contest", "synthesize"))])
        label = f"{command} {Path(done.name).name if '/' in done.name else done.name}"
        outcome = done.outcome
        self.counts[label, done.change, "refused" if outcome.status == 2 else "answered"] += 1
        found = [f"{flaw}: {outcome.said.strip()[-TOLD:]}" for flaw in outcome.flaws]
        for flaw in found:
            self.flaws[label, flaw].append(number)
        return [f"{number}: {label}: {flaw}" for flaw in found]

    def take(self, other: Counts) -> None:
        """Those of other inputs, too."""
        self.counts += other.counts
        self.seconds += other.seconds
        for key, numbers in other.flaws.items():
            self.flaws[key] += numbers

    def table(self) -> Iterator[str]:
        """Lines of Markdown: by command, by change, and every flaw."""
        for place, name in enumerate(("command and file", "change")):
            yield from (
                "",
                f"| {name} | inputs | refused | answered |",
                "| --- | ---: | ---: | ---: |",
            )
            for label in sorted({key[place] for key in self.counts}):
                yield _row(label, (one for one in self.counts.items() if one[0][place] == label))
            yield _row("all", self.counts.items())
        yield f"\n{self.seconds:.0f} s of a processor"
        for (label, flaw), where in sorted(self.flaws.items()):
            yield f"{label}: {flaw} ({len(where)} times, first at input {min(where)})"


def _row(label: str, counted: Iterable[tuple[tuple[str, str, str], int]]) -> str:
    """A line of a table."""
    by_answer: Counter[str] = Counter()
    for key, number in counted:
        by_answer[key[2]] += number
    refused, answered = by_answer["refused"], by_answer["answered"]
    return f"| {label} | {refused + answered:,} | {refused:,} | {answered:,} |"


def keep(file: Path, which: tuple[int, int, int], found: Counts) -> None:
    """Add the counts of a stretch to a file, in one line.

    Parameters
    ----------
    file
        Made where it is not there.
    which
        Seed, first input, number of inputs.
    found
        What became of them.
    """
    line = {
        "which": which,
        "seconds": round(found.seconds, 3),
        "counts": [[*key, number] for key, number in found.counts.items()],
        "flaws": [[*key, numbers] for key, numbers in found.flaws.items()],
    }
    with file.open("a") as lines:
        lines.write(json.dumps(line) + "\n")


def kept(file: Path) -> dict[tuple[int, int, int], Counts]:
    """Counts by stretch, from a file; empty where there is none."""
    lines = file.read_text().splitlines() if file.exists() else []
    return dict(_kept(json.loads(line)) for line in lines)


def _kept(line: dict[str, Any]) -> tuple[tuple[int, int, int], Counts]:
    found = Counts(seconds=line["seconds"])
    for *key, number in line["counts"]:
        found.counts[tuple(key)] += number
    for label, flaw, numbers in line["flaws"]:
        found.flaws[label, flaw] += numbers
    seed, first, inputs = line["which"]
    return (seed, first, inputs), found
