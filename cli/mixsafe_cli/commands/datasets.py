"""``mixsafe datasets``: what a file holds; known data sets, and which are on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixsafe.errors import InputError, about
from mixsafe.machinery.files import make_folder
from mixsafe_cli.options import shared
from mixsafe_cli.options.apart import STDOUT
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.source_options import DataOptions
from mixsafe_cli.options.targets import AnswerTargets, JsonTarget, PlotTarget, Quiet, check_target
from mixsafe_cli.running.invocation import CommandLine
from mixsafe_cli.running.json_answers import write_answers
from mixsafe_cli.running.run import running
from mixsafe_cli.running.sources import path_of, paths_of
from mixsafe_cli.standard_streams import say_notes

if TYPE_CHECKING:
    from mixsafe.synthesize.samples import Sample
    from mixsafe_cli.terminal import Part

_option = panel()

app = typer.Typer(
    no_args_is_help=True, help="Describe a file, list known data sets, make the samples."
)


@dataclass(frozen=True)
class DescribedData(DataOptions):
    """The data, and what is asked of them."""

    k: Annotated[
        int,
        shared.K.said(
            "Candidates a user needs in the table of sizes.",
            panel=None,
        ),
    ] = 3
    time_limit: Annotated[
        float,
        shared.TIME_LIMIT.said(
            "Seconds for deciding in that table. Default: 10.",
            panel=None,
        ),
    ] = 10.0


@dataclass(frozen=True)
class DescriptionTargets(AnswerTargets):
    """Output targets of a description."""

    json: JsonTarget = None
    plot: PlotTarget = None
    quiet: Quiet = False


@app.command()
@takes_records
def describe(context: typer.Context, data: DescribedData, target: DescriptionTargets) -> None:
    """Describe what would be read of a file: the first command for new data.

    Says how the file is written, which columns are read, who is in it and when, which rows are
    skipped and why, who is always together, how often there is a fix, and what three sizes of cells
    would give. What other commands refuse is described, with the option that settles it. 'mixsafe
    report described.json' turns the result of --json into a page with a map.

    For example:

      mixsafe datasets describe traces.csv

      mixsafe datasets describe taxi.csv --column user_id=driver --json described.json
    """
    from mixsafe.describing.describe import describe as description_of

    words: Sequence[str] = context.find_root().obj
    sources = dict(enumerate(paths_of(data), 1))
    files = {f"source {n}" if n > 1 else "source": path for n, path in sources.items()}
    invocation = CommandLine(words, files, vars(data), None, (data,))
    with running("datasets describe", invocation, target) as run, about(path_of(data)):
        description = description_of(
            list(sources.values()),
            data.reading,
            k=data.k,
            seconds=data.time_limit,
            memory=data.memory,
            keep_together=data.keep_together,
            progress=run.report,
        )
    from mixsafe.describing.description_document import description_document, fixes_chart

    if target.plot is not None:
        if description.map is None:
            raise InputError("there is no map: it is not known where the places are")
        chart = fixes_chart(description.map)
        run.draw(lambda: [chart])
    read_by = list(_read_by(words))
    run.tell(
        [description.to_dict()],
        lambda pages: [description_document(description, read_by, pages=pages)],
    )


def _read_by(words: Sequence[str]) -> Iterator[str]:
    """Words of a command line that say what is read, and how."""
    rest = iter(words[2:])
    for word in rest:
        name, mark, _ = word.partition("=")
        if name in ("--json", "--plot", "--k", "--time-limit"):
            if not mark:
                next(rest, None)
        elif name not in ("--quiet", "-q"):
            yield word


@app.command("list")
@takes_records
def list_all(json: JsonTarget = None, quiet: Quiet = False) -> None:
    """List the samples that ship with mixsafe, and published data sets that it reads.

    Those that you got yourself are found in the folder that MIXSAFE_DATA names.

    For example:

      mixsafe datasets list

      MIXSAFE_DATA=~/data mixsafe datasets list --json -
    """
    check_target("--json", json)
    known = [*_samples(), *_published()]
    if json is not None:
        write_answers(json, "datasets", [{"datasets": known}], lines=False)
    if not quiet and json != STDOUT:
        from mixsafe_cli.terminal import tell

        tell(part for card in known for part in _parts(card))


def _parts(card: dict[str, Any]) -> Iterator[Part]:
    """A data set for people."""
    from rich.text import Text

    from mixsafe_cli.terminal import facts

    yield Text.assemble((card["name"], "bold"), f": {card['about']}")
    rows = [(word, str(card[word])) for word in ("format", "licence", "origin", "cite")]
    yield facts([*rows, ("on disk", ", ".join(card["files"]) or "not on disk")])
    yield ""


@app.command()
@takes_records
def make(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="town or cabs. Default: all.")
    ] = None,
    output: Path = _option(
        "Folder to write into; it is made if need be.", "--output", "-o", default=Path()
    ),
    quiet: Quiet = False,
) -> None:
    """Make the samples anew: the same files, byte for byte, that ship with mixsafe.

    For example:

      mixsafe datasets make town -o data
    """
    chosen = _chosen(name)
    if output.is_file():
        raise InputError("it is a file, not a folder", file=output)
    make_folder(output)
    for sample in chosen:
        target = output / sample.file
        check_target("--output", target)
        _write(sample, target)
        say_notes([f"{sample.about}: {target}"], quiet)


def _write(sample: Sample, target: Path) -> None:
    """Write the file of a sample, byte for byte the same every time."""
    from mixsafe.io.contest.writing import write_traces
    from mixsafe.io.traces.table import write_table
    from mixsafe.model.mobility.complete_traces import TraceMatrix

    made = sample.make()
    if isinstance(made, TraceMatrix):
        write_traces(target, made)
    else:
        write_table(target, made)


def _chosen(name: str | None) -> tuple[Sample, ...]:
    """The sample of this name, or all of them."""
    from mixsafe.synthesize.samples import SAMPLES

    chosen = tuple(sample for sample in SAMPLES if name in (None, sample.name))
    if not chosen:
        names = ", ".join(sample.name for sample in SAMPLES)
        raise InputError(f"no sample is called '{name}'", hint=f"there are {names}")
    return chosen


def _samples() -> Iterator[dict[str, Any]]:
    """Cards of the samples."""
    from mixsafe.synthesize.samples import SAMPLES, sample

    made = "mixsafe's own generator; make it with: mixsafe datasets make"
    for known in SAMPLES:
        yield {
            "name": known.name,
            "about": known.about,
            "format": known.format,
            "licence": "CC0 1.0",
            "origin": f"{made} {known.name}",
            "cite": "mixsafe",
            "files": [str(sample(known.name))],
        }


def _published() -> Iterator[dict[str, Any]]:
    """Cards of the published data sets."""
    from mixsafe.io.data_sets import PUBLISHED

    names = ("name", "about", "format", "licence", "origin", "cite")
    for known in PUBLISHED:
        card = {name: getattr(known, name) for name in names}
        yield {**card, "files": [str(file) for file in known.files]}
