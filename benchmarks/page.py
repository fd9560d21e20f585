"""The page of the benchmark, made of its results: tables, a picture, and the machine."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

from cases import Case

Lines = dict[str, list[dict[str, Any]]]

_HEAD = """# How long it takes

`python benchmarks/verify.py --data DIR -o docs/{name}` makes this page. Each figure is {runs} of
the installed command, from the files to the written table. Cases that may leave wires open have a
time limit of 60 to 120 s (audit 300 s, weights 900 s). Memory is the largest resident size of one
process. Nothing else ran.

{machine}

"""


def write(target: Path, results: Path, cases: list[Case]) -> None:
    """Write the page, and its picture beside it."""
    lines: Lines = defaultdict(list)
    for line in read(results):
        lines[line["case"]].append(line)
    known = [case for case in cases if lines[case.name]]
    everything = [line for case in known for line in lines[case.name]]
    fewest = min((len(lines[case.name]) for case in known), default=0)
    runs = f"the median of {fewest} runs" if fewest > 1 else "one run"
    text = _HEAD.format(name=target.name, runs=runs, machine=machines(everything))
    shown = [case for case in known if case.curve is None]
    audited = [case for case in shown if case.command == "verify"]
    text += whole_commands(shown, lines) + arguments(audited, lines)
    text += certificates([case for case in audited if case.certified], lines)
    curves = [case for case in known if case.curve is not None]
    if curves:
        picture = target.with_suffix(".svg")
        text += growth(curves, lines) + f"\n![seconds by users and by days]({picture.name})\n"
        draw(curves, lines, picture)
    target.write_text(text)


def read(file: Path) -> list[dict[str, Any]]:
    """The lines of a file; none where there is no file."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def machines(lines: list[dict[str, Any]]) -> str:
    """Each machine (or set of versions) that took part, in a sentence."""
    different = {json.dumps(line["machine"], sort_keys=True) for line in lines}
    told = []
    for found in map(json.loads, sorted(different)):
        versions = ", ".join(
            f"{name} {found[name]}" for name in sorted(found)
            if name not in ("processor", "cores", "system", "memory_gib")
        )  # fmt: skip
        memory = f"{found['memory_gib']} GiB" if "memory_gib" in found else "memory not known"
        told.append(
            f"Machine: {found['processor']}, {found['cores']} cores, {memory}, {found['system']};"
            f" {versions}."
        )
    return "\n".join(told)


def middle(lines: list[dict[str, Any]], what: str) -> float:
    """Median of a figure."""
    return median(line[what] for line in lines)


def whole_commands(cases: list[Case], lines: Lines) -> str:
    """The table of whole commands, with what their bytes take alone."""
    made = """## Whole commands

*Open* are undecided wires; of an audit the share of people's time that is undecided, of weights
that is not settled. *Bytes alone*: reading and unpacking the file (`gzip`, `wc`), sorting a 64-bit
number for each of its rows (NumPy), and writing as many bytes as the answer has, in the same run.

| case | wires | open | wall, s | processor, s | peak, MiB | bytes alone, s | times that |
"""
    made += "| --- |" + " ---: |" * 7 + "\n"
    for case in cases:
        found = lines[case.name]
        seconds = sorted(line["seconds"] for line in found)
        spread = f" ({seconds[0]:.1f} to {seconds[-1]:.1f})" if len(found) > 1 else ""
        alone = median(sum(line["least"].values()) for line in found)
        made += (
            f"| {case.title} | {questions(found[-1])} | {undecided(found[-1])}"
            f" | {middle(found, 'seconds'):.1f}{spread} | {middle(found, 'processor'):.1f}"
            f" | {middle(found, 'peak_mib'):,.0f} | {alone:.2f}"
            f" | {middle(found, 'seconds') / alone:,.0f} |\n"
        )
    return made + "\n"


def questions(line: dict[str, Any]) -> str:
    """How many wires a run was about; nothing where time was counted instead."""
    return f"{wires(line):,}" if "verdicts" in line else ""


def wires(line: dict[str, Any]) -> int:
    """How many wires a run was about."""
    return sum(line["verdicts"].values())


def undecided(line: dict[str, Any]) -> str:
    """What a run left open: wires with their share, or a share of time."""
    if "open" in line:
        return f"{line['open']:.1%} of the time"
    count = line["verdicts"]["undecided"]
    part = count / wires(line)
    return f"{count:,} ({part:.2%})" if part >= 5e-5 else f"{count:,}"  # no share of 0.00 %


def arguments(cases: list[Case], lines: Lines) -> str:
    """The table of what decided, and what that cost."""
    made = """## What decided

Share of the wires (or their number, where it is below 0.1 %) that each argument settled, and the
processor seconds that it took, also where it settled nothing. [How a verdict is
found](deciding.md#what-decided) explains the words.

| case | settled, processor seconds |
| --- | --- |
"""
    for case in cases:
        line = lines[case.name][-1]
        settled, took = line["decided_by"], line["processor_seconds"]
        words = sorted({*settled, *took} - {"-"}, key=lambda word: (-settled.get(word, 0), word))
        cells = (
            f"{word} {share(settled.get(word, 0), wires(line))}, {took.get(word, 0):.1f} s"
            for word in words
        )
        made += f"| {case.title} | {'; '.join(cells)} |\n"
    return made + "\n"


def certificates(cases: list[Case], lines: Lines) -> str:
    """The table of what certificates cost."""
    made = """## Certificates

Seconds that `--certificates` adds to the whole command (0.0: less than two runs differ by), and
seconds of `mixsafe check`.

| case | added, s | checked, s | size, MiB |
| --- | ---: | ---: | ---: |
"""
    for case in cases:
        found = lines[case.name]
        added = max(middle(found, "with_certificate") - middle(found, "seconds"), 0.0)
        made += (
            f"| {case.title} | {added:.1f} | {middle(found, 'checked'):.1f}"
            f" | {middle(found, 'certificate_mib'):,.1f} |\n"
        )
    return made + "\n"


def share(count: int, total: int) -> str:
    """A share in per cent; small ones as counts, since 0.0 % would be no answer."""
    return f"{count / total:.1%}" if count >= total / 1000 else f"{count:,}"


def growth(cases: list[Case], lines: Lines) -> str:
    """The table of how time grows."""
    made = "## Growth\n\nAdversary `endpoints`, k = 3.\n\n"
    made += "| case | wires | undecided | wall, s | peak, MiB |\n"
    made += "| --- | ---: | ---: | ---: | ---: |\n"
    for case in cases:
        found = lines[case.name]
        last = found[-1]
        made += (
            f"| {case.title} | {wires(last):,} | {undecided(last)}"
            f" | {middle(found, 'seconds'):.1f} | {middle(found, 'peak_mib'):,.0f} |\n"
        )
    return made


def draw(cases: list[Case], lines: Lines, target: Path) -> None:
    """Seconds by users and by days."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "mixsafe"  # the same picture from the same results
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True, layout="constrained")
    for panel, what in zip(panels, ("users", "days"), strict=True):
        curve = [case for case in cases if case.curve == what]
        seconds = [middle(lines[case.name], "seconds") for case in curve]
        panel.plot([case.x for case in curve], seconds, marker="o")
        panel.set_xlabel({"users": "cabs, one day", "days": "days, 536 cabs"}[what])
        panel.grid(alpha=0.3)
    panels[0].set_ylim(bottom=0)  # after all is drawn: it fixes the top, too
    panels[0].set_ylabel("seconds")
    figure.savefig(target, metadata={"Date": None})
    plt.close(figure)
