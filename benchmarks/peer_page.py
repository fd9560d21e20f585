"""The page of ``peers.py``, made of its rows: who answered what, how fast, and every row."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from page import machines

Row = dict[str, Any]

OURS = "mixsafe"

CLEARLY = 0.1
"""Seconds; less is no difference between two single runs."""

TASKS = {
    "all": "All candidates of every wire",
    "k": "Three candidates of every wire",
    "zones": "Fewest mix zones",
    "weights": "How likely each candidate is",
}

_ABOUT = {
    "all": """Answers are pairs of a wire and a pseudonym: it is possible there, or it is not.""",
    "k": """Answers are wires: three pseudonyms are possible there, or fewer are.""",
    "zones": """The answer is the least number of zones in which exchanges meet five requirements
(*k* = 2; of 100 cabs 3). Figure 5 is that of the CSP paper: an evening, and only the five people
are known. RC2, Hitman and CP-SAT are given the formula that mixsafe writes, and more of its clauses
as long as their zones are not enough. In brackets are bounds.""",
    "weights": """Answers are wires: the exact chance of each pseudonym on it, if all exchanges are
alike. Peers enumerate all solutions. What mixsafe only samples counts as no answer.""",
}

_HEAD = """# Peers of today

`python benchmarks/peers.py --data DIR -o docs/{name}` makes this page: the same problems, put to
mixsafe and to other solvers. {measured}

The first rows are mixsafe itself: as it is used, then by one engine alone, of which `cpsat
permutation` has the encoding of the CSP paper.

All others are asked about the wires that mixsafe's presolve leaves. SAT solvers get the clauses
that mixsafe writes, without pseudonyms that are out of reach. Constraint solvers get the CSP
paper's network (section 4.2), through one CPMpy model: an integer variable for each wire, and
`same` in each zone as a permutation. They are asked for a value besides those that are known, wire
after wire; each solution shows one on every wire. CPMpy has no assumptions for Choco, and MiniZinc
none at all, so these are built anew for each question. What CPMpy itself takes is part of the time.
PySAT's backbone extractor is `bbscan`, with the name of its algorithm. Not asked: peers that did
not have half of the answers of a smaller problem.

"""

_MEASURED = """Each row is one process with {limit} s and at most {memory} GiB. Its time is from
the question, with everything loaded, to the last answer. Nothing else ran.

{machine}

**Answers that contradict each other: {wrong}.**"""

_LEFT_OUT = """## Who is missing

- **Glasgow Constraint Solver**: `gcspy` is published as source, and could not be installed.
- **OptUx** finds smallest unsatisfiable cores. Here these are smallest sets of zones of which one
  is needed, which is another question: no choice of clauses makes a smallest *sufficient* set a
  core, because what is sufficient is a satisfiable formula.
- **Permanents** give chances in one zone. Over several zones the sum over what happens in all
  others is the enumeration of the table above.

"""

_EVERY_ROW = """## Every row

Seconds on the clock and of processors, and the largest process, which also holds Python and the
question. `python benchmarks/peers.py --data DIR` with these words and the limit
repeats a row.

"""

FOLLOWS = "## What follows"


def write(target: Path, rows: list[Row]) -> None:
    """Write the page; what a person has written under "What follows" stays."""
    asked = [row for row in rows if "machine" in row]
    measured = _MEASURED.format(
        limit=" or ".join(sorted({f"{row['limit']:g}" for row in asked})),
        memory=" or ".join(sorted({f"{row['memory']:g}" for row in asked})),
        machine=machines(asked),
        wrong=sum(row["wrong"] for row in asked),
    )
    if not asked:
        measured = "It was not measured yet."
    text = _HEAD.format(name=target.name, measured=measured)
    text += _followed(target)
    for task in TASKS:
        mine = [row for row in rows if row["task"] == task]
        text += _table(task, mine) if mine else ""
    target.write_text((text + _LEFT_OUT + _every_row(rows)).rstrip() + "\n")


def _followed(target: Path) -> str:
    """What follows, as it was written."""
    written = target.read_text() if target.exists() else ""
    _, _, after = written.partition(FOLLOWS)
    said = after.partition("\n## ")[0].strip()
    return f"{FOLLOWS}\n\n{said}\n\n" if said else ""


def _table(task: str, rows: list[Row]) -> str:
    """Peers by problems."""
    cases = {row["case"]: row["title"] for row in rows}
    peers = list(dict.fromkeys(row["peer"] for row in rows))
    at = {(row["peer"], row["case"]): row for row in rows}
    made = f"## {TASKS[task]}\n\n{_ABOUT[task]}\n\nSeconds; in brackets the share of the answers"
    made += " that were there at the end. Bold: faster than mixsafe by 0.1 s or more.\n\n"
    made += f"| peer | {' | '.join(cases.values())} |\n| --- |{' ---: |' * len(cases)}\n"
    for peer in peers:
        cells = []
        for case in cases:
            row = at.get((peer, case))
            how = "" if row is None else cell(row)
            bold = row is not None and beats(row, at.get((OURS, case)))
            cells.append(f"**{how}**" if bold else how)
        made += f"| {peer} | {' | '.join(cells)} |\n"
    return made + "\n" + _faster(rows, at, cases)


def beats(row: Row, ours: Row | None) -> bool:
    """Whether a peer has all answers, clearly sooner than mixsafe, or mixsafe has not all."""
    if ours is None or row["peer"].startswith(OURS) or not whole(row):
        return False
    return not whole(ours) or bool(row["seconds"] < ours["seconds"] - CLEARLY)


def whole(row: Row) -> bool:
    """Whether all answers are there."""
    return bool(row.get("of")) and row["answers"] == row["of"]


def cell(row: Row) -> str:
    """How a row went, in a word or two."""
    if "seconds" not in row:
        return str(row["status"])
    if whole(row):
        return f"{row['seconds']:.2f}"
    share = f"{row['answers'] / row['of']:.0%}" if not row["bounds"] else told(row)
    reached = {"ended": f"{row['seconds']:.1f}", "out of time": f"> {row['limit']:g}"}
    return f"{reached.get(row['status'], row['status'])} ({share})"


def told(row: Row) -> str:
    """What a row has told: bounds on the fewest zones, or a number of answers."""
    if not row["bounds"]:
        return f"{row['answers']:,} of {row['of']:,}"
    low, high = (f"{one:g}".replace("inf", "∞") for one in row["bounds"])
    return low if low == high else f"{low} to {high}"


def _faster(rows: list[Row], at: dict[tuple[str, str], Row], cases: Iterable[str]) -> str:
    """Where peers are faster, in words."""
    said = []
    for case in cases:
        ours = at.get((OURS, case))
        ahead = [row for row in rows if row["case"] == case and beats(row, ours)]
        if ours is None or not ahead:
            continue
        best = min(ahead, key=lambda row: float(row["seconds"]))
        others = f", as are {len(ahead) - 1} others" if len(ahead) > 2 else ""
        others = ", as is one other" if len(ahead) == 2 else others
        mine = f"{ours['seconds']:.2f} s" if whole(ours) else "no whole answer"
        said.append(
            f"- {ours['title']}: {best['peer']} is faster ({best['seconds']:.2f} s; mixsafe:"
            f" {mine}){others}."
        )
    return ("\n".join(said) or "No peer is faster than mixsafe by 0.1 s or more.") + "\n\n"


def _every_row(rows: list[Row]) -> str:
    """All rows, with what repeats each."""
    if not any("seconds" in row for row in rows):
        return ""
    made = _EVERY_ROW
    for task, title in TASKS.items():
        mine = [row for row in rows if row["task"] == task and "seconds" in row]
        if not mine:
            continue
        made += f"### {title}, row by row\n\n"
        made += "| words | seed | version | ended | wall, s | processor, s | peak, MiB | answers"
        made += " | contradicted |\n| --- | ---: | --- | --- |" + " ---: |" * 5 + "\n"
        for row in mine:
            words = f"--cases {row['case']} --tasks {task} --peers {shlex.quote(row['peer'])}"
            how = row["status"] + (f": {row['note']}" if row["note"] else "")
            made += (
                f"| `{words}` | {row['seed']} | {row['versions']} | {how.replace('|', '/')} |"
                f" {row['seconds']:.2f} | {row['processor']:.2f} | {row['peak_mib']:,} |"
                f" {told(row)} | {row['wrong']} |\n"
            )
        made += "\n"
    return made
