"""Advice that names an option or a command is followed on the input that prints it."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mixsafe_cli.app import app
from tests.support.recordings import gpx

ROOT = Path(__file__).resolve().parents[2]

ROWS = "1,2008-02-02T15:36:00Z,39.9,116.5\n2,2008-02-02T15:36:10Z,39.9,116.5\n"
FIXES = "user_id,time,lat,lon\n" + ROWS
STEPS = "user_id,time_id,reg_id\n1,1,1\n1,2,1\n1,3,3\n2,1,1\n2,2,1\n2,3,4\n"
PROBLEM = '{"users": 2, "horizon": 3, "zones": [[1, [0, 1]]], "knowledge": [[0, 0], [1, 0]]}\n'
RELEASE = "pse_id,time_id,reg_id\n3,1,1 2\n3,2,1\n3,3,3\n4,1,1\n4,2,1\n4,3,4\n"
IDS = "user_id,time_id,pse_id\n1,1,{}\n1,2,{}\n1,3,{}\n"
WITHOUT = ROWS.replace("1,2008", "2008").replace("\n2,2008", "\n2008")
"""Of a file that is named after its user."""
TRACKS = {name: ["2008-02-02T15:36:00Z"] for name in ("ana", "ben")}
ASKED = "user_id,time_id,k\n1,3,2\n"


@dataclass(frozen=True)
class Case:
    """A command that is refused, and what its hint says.

    Parameters
    ----------
    line
        The command, as in a shell.
    hint
        Constant text of the hint, as it is in the source and as it is printed.
    advice
        The words of the hint that are followed, as printed. What begins with ``omit`` or ``leave
        out`` takes options from the line, ``mixsafe`` is a command to run before, and anything
        else is added to the line.
    files
        Text of each file.
    fill
        What a user writes for a word of the advice, such as a file for FILE.
    more
        What the hint leaves to the user, such as the value of an option.
    drop
        Options that the hint has one leave out in other words.
    mended
        Files as the hint has one write them.
    then
        The next refusal, where another one is due; None: the command goes on.
    """

    line: str
    hint: str
    advice: str
    files: Mapping[str, str] = field(default_factory=dict)
    fill: Mapping[str, str] = field(default_factory=dict)
    more: str = ""
    drop: str = ""
    mended: Mapping[str, str] = field(default_factory=dict)
    then: str | None = None


def table(text: str, line: str, hint: str, advice: str, **others: object) -> Case:
    """A case of one table, ``t.csv``."""
    files = {"t.csv": text, **others.pop("files", {})}  # type: ignore[dict-item]
    return Case(line, hint, advice, files, **others)  # type: ignore[arg-type]


V = "verify t.csv --k 2"
FAR = "user_id,time_id,reg_id\n1,1,1\n2,1,1\n1,3000000000,1\n2,3000000000,1\n"
ORDER = "user_id,time,lat,lon\n1,{0} 15:36:00,39.9,116.5\n2,{0} 15:36:10,39.9,116.5\n"
BAD = FIXES + "1,2008-02-02T15:37:00Z,north,116.5\n"
TRIPS = "vehicle_id,start_time,end_time,start_lat,start_lon,end_lat,end_lon\n"

CASES: dict[str, Case] = {
    # Tables and their columns.
    "column": table(
        FIXES.replace("user_id", "who"), V,
        "name it with --column", "--column user_id=NAME", fill={"NAME": "who"},
    ),
    "columns of places": table(
        FIXES.replace("lat,lon", "north,east"), V,
        "name it with --column", "--column lat=NAME --column lon=NAME",
        fill={"lat=NAME": "lat=north", "lon=NAME": "lon=east"},
    ),
    "t is a time": table(
        FIXES.replace("time", "t"), V, " is a time, or time_id=", "--column time=t",
    ),
    "t numbers steps": table(
        STEPS.replace("time_id", "t"), V,
        " is a time, or time_id=", "time_id=t", fill={"time_id=t": "--column time_id=t"},
    ),
    "x and y in metres": table(
        FIXES.replace("lat,lon", "x,y"), V, "say --crs metres or --crs EPSG:CODE if",
        "--crs metres",
    ),
    "x and y with a code": table(
        FIXES.replace("lat,lon", "x,y"), V, "say --crs metres or --crs EPSG:CODE if",
        "--crs EPSG:CODE", fill={"EPSG:CODE": "EPSG:3857"},
    ),
    "x and y in degrees": table(
        FIXES.replace("lat,lon", "y,x"), V, "say --crs metres or --crs EPSG:CODE if",
        "--column lon=x --column lat=y",
    ),
    "degrees beyond 180": table(
        FIXES.replace("116.5", "440000").replace("39.9", "4400000"), V,
        "for others, name the reference system with --crs", "--crs EPSG:CODE",
        fill={"EPSG:CODE": "EPSG:32650"},
    ),
    "a plane beyond its reach": table(
        FIXES.replace("39.9", "98765432"), V + " --crs metres",
        "or name the reference system: --crs EPSG:CODE", "--crs EPSG:CODE",
        fill={"EPSG:CODE": "EPSG:3857"},
    ),
    "a person or a row": table(
        FIXES.replace("user_id", "id"), V, " is a person, and not the number of a row",
        "--column user_id=id",
    ),
    "cells of areas": table(
        FIXES.replace("user_id,time,lat,lon", "imsi,time,lac,cid"), V,
        " alone tells cells apart", "--column reg_id=cid",
    ),
    "names of places in a column of points": table(
        "user_id,time,location\n1,2008-02-02 15:36,home\n2,2008-02-02 15:36,home\n", V,
        "if these are names", "--column reg_id=location",
    ),
    "trips": table(
        TRIPS + "v,2008-02-02T15:00Z,2008-02-02T15:36Z,39.9,116.5,39.9,116.6\n", V,
        "mixsafe links reads trips", "mixsafe links", more="t.csv --k 2",
    ),
    "places beside named ones": table(
        "user_id,time,place\n1,2008-02-02 15:36,home\n2,2008-02-02 15:36,home\n",
        V + " --places p.geojson", "omit --places: people mix", "omit --places",
        files={"p.geojson": "{}"},
    ),
    "a start without an end": table(
        FIXES.replace("time", "arrival"), V, "if a row is one moment, or", "--column time=arrival",
    ),
    "a start and another end": table(
        "user_id,arrival,lat,lon,gone\n1,2008-02-02 15:36,39.9,116.5,2008-02-02 15:40\n", V,
        "if a row is one moment, or", "--column end=NAME", fill={"NAME": "gone"},
    ),
    "stays of a century": table(
        "user_id,place,start,end\n1,home,1970-01-02,2069-01-01\n", V,
        "use a larger --time-step", "--time-step", more="86400",
    ),
    "a zone by name": table(
        FIXES.replace("00Z", "00[Europe/Paris]"), V, "leave the zone out, and say --tz",
        "--tz Europe/Paris", mended={"t.csv": FIXES.replace("Z", "")},
    ),
    "seconds of a simulation": table(
        FIXES.replace("2008-02-02T15:36:00Z", "0.5").replace("2008-02-02T15:36:10Z", "1.0"), V,
        "seconds of a simulation are said with", "--column seconds=time",
    ),
    "steps in the column of times": table(
        FIXES.replace("2008-02-02T15:36:00Z", "1").replace("2008-02-02T15:36:10Z", "1"), V,
        "numbers of steps belong into the column time_id", "--column time_id=time",
    ),
    "no header": table(
        ROWS, V, "say what its columns are, in their order:", "--columns user_id,time,lat,lon",
    ),
    "columns of a header": table(
        FIXES, V + " --columns user_id,time,lat,lon", "omit --columns if it is a header",
        "omit --columns",
    ),
    "columns of a header, some renamed": table(
        FIXES.replace("time", "hour"), V + " --columns user_id,time,lat,lon",
        "omit --columns if it is a header; --column time=NAME", "omit --columns",
        more="--column time=hour",
    ),
    "day first": table(FIXES, V + " --start '31/01/2008 15:30'", "say --day-first", "--day-first"),
    "month first": table(
        FIXES, V + " --start '01/31/2008 15:30'", "say --month-first", "--month-first",
    ),
    "either first, day": table(
        ORDER.format("02/03/2008"), V, "say --day-first or --month-first", "--day-first",
    ),
    "either first, month": table(
        ORDER.format("02/03/2008"), V, "say --day-first or --month-first", "--month-first",
    ),
    "an abbreviated zone": table(
        ORDER.format("2008-02-02").replace(",39", " CST,39"), V,
        " is the name of several zones: write the offset", "--tz Europe/Berlin",
        mended={"t.csv": ORDER.format("2008-02-02")},
    ),
    "several offsets": table(
        FIXES.replace("Z", "+01:00", 1).replace("10Z", "10+09:00"), V,
        "say the zone that its days are of", "--tz Europe/Berlin",
    ),
    "alike names are the same": table(
        FIXES.replace("\n1,", "\nanna,").replace("\n2,", "\nAnna ,"), V,
        "write each name in one way", "--similar-names same",
    ),
    "alike names are different": table(
        FIXES.replace("\n1,", "\n007,").replace("\n2,", "\n7,"), V,
        "write each name in one way", "--similar-names different",
    ),
    "a bad row": table(BAD, V, "skip such rows with --skip-bad", "--skip-bad", more="--most-bad 1"),
    "many bad rows": table(
        BAD + BAD.splitlines()[-1], V + " --skip-bad",
        "allow more with --most-bad", "--most-bad", more="2",
    ),
    "several regions": table(
        STEPS.replace("1,1,1", "1,1,1 2", 1), V,
        "use mixsafe audit for traces that are already obfuscated, as pse_id,time_id,reg_id",
        "mixsafe audit", fill={"audit": "audit t.csv --k 2 --knowledge s.csv"},
        files={"s.csv": "user_id,time_id,reg_id\n1,1,1\n"}, mended={"t.csv": RELEASE},
    ),
    # Folders, formats.
    "a folder of texts": Case(
        "verify Data --k 2", "say which of its files are read and what their columns are",
        "--files '*.txt' --columns user_id,time,lat,lon", {"Data/1.txt": ROWS},
    ),
    "a folder of texts of users": Case(
        "verify Data --k 2 --columns time,lat,lon", "say which of its files are read, such as",
        "--files '*.txt'", {"Data/1.log": WITHOUT, "Data/2.log": WITHOUT},
        fill={"*.txt": "{user_id}.log"},
    ),
    "files of a file": table(
        FIXES, V + " --files '*.csv'", "omit --files, or give the folder", "omit --files",
    ),
    "fixed columns": table(
        STEPS, V + " --format contest --column lat=y", "--column is for format table",
        "format table", fill={"format": "--format"}, drop="--column",
    ),
    "a fixed reference system": table(
        STEPS, V + " --format contest --crs EPSG:4326", "omit --crs", "omit --crs",
    ),
    "fixed columns of a format": table(
        STEPS, V + " --format contest --columns user_id,time_id,reg_id",
        "omit --columns and --files", "omit --columns and --files",
    ),
    "layers of a format": table(STEPS, V + " --layer tracks", "omit --layer", "omit --layer"),
    "tracks of several people": Case(
        "verify club.gpx --k 2", "if each is a person, --column", "--column user_id=name",
        {"club.gpx": gpx(TRACKS)},
    ),
    "tracks of one person": Case(
        "verify club.gpx --k 2", "if each is a person, --column", "--column user_id=file",
        {"club.gpx": gpx(TRACKS)},
    ),
    # Periods.
    "steps of centuries": table(
        FAR, V, "choose a period (--start, --end)", "", more="--start 1 --end 9",
    ),
    "days of centuries": table(
        STEPS + "1,900000,1\n2,900000,1\n", V + " --adversary daily --steps-per-day 1",
        "choose a period (--start, --end)", "", more="--start 1 --end 9",
    ),
    "days of numbered steps": table(
        STEPS + "1,900000,1\n2,900000,1\n", V + " --adversary daily --steps-per-day 1",
        "or a larger --steps-per-day", "--steps-per-day", more="20000",
    ),
    # How far people get.
    "speed of regions": table(
        STEPS, V + " --max-speed 50", "for regions of the contest say --max-step instead",
        "--max-step",
        more="1", drop="--max-speed",
    ),
    "regions of coordinates": table(
        FIXES, V + " --max-step 1", "for coordinates say --max-speed instead",
        "--max-speed", more="50",
        drop="--max-step",
    ),
    "no exchange": table(
        FIXES + ROWS.replace("-02T", "-04T"), V + " --no-meetings",
        "say when pseudonyms change: --rotate", "--rotate",
        more="daily",
    ),
    # The truth of a release.
    "a truth with exchanges": table(
        RELEASE, "audit t.csv --k 2 --knowledge s.csv --truth ids.csv --exchange none",
        "pseudonyms of this release are exchanged: leave out --exchange none",
        "leave out --exchange none",
        files={"s.csv": "user_id,time_id,reg_id\n1,1,1\n", "ids.csv": IDS.format(3, 4, 4)},
    ),
    "a truth with a schedule": table(
        RELEASE, "audit t.csv --k 2 --knowledge s.csv --truth ids.csv",
        "say when else pseudonyms change: --rotate", "--rotate", more="every:2",
        files={"s.csv": "user_id,time_id,reg_id\n1,1,1\n", "ids.csv": IDS.format(3, 3, 4)},
    ),
    # Questions.
    "verify asks nothing": table(
        FIXES, "verify t.csv", "say --k 3, or --requirements FILE", "--k 3",
    ),
    "verify asks nothing, by a file": table(
        STEPS, "verify t.csv", "say --k 3, or --requirements FILE", "--requirements FILE",
        files={"asked.csv": ASKED}, fill={"FILE": "asked.csv"},
    ),
    "breaking asks nothing": table(
        STEPS, "breaking t.csv", "say --k 3, or --requirements FILE", "--k 3",
    ),
    "curves ask nothing": table(
        STEPS, "breaking t.csv --draws 2", "say --k 2, or more", "--k 2",
    ),
    "together asks nothing": table(
        STEPS, "verify t.csv --together u.csv", "say --k 3", "--k 3", files={"u.csv": STEPS},
    ),
    "places of zones": Case(
        "verify p.json --k 2 --distinct-places 2", "or leave out --distinct-places",
        "leave out --distinct-places", {"p.json": PROBLEM},
    ),
    # Optimize.
    "k without times": table(
        STEPS, "optimize t.csv --k 2", "name times with --at", "--at", more="3",
    ),
    "k instead of requirements": table(
        STEPS, "optimize t.csv", "say --k 3, or --requirements FILE", "--requirements FILE",
        files={"asked.csv": ASKED}, fill={"FILE": "asked.csv"},
    ),
    "optimize asks nothing": table(
        # Of one user there is one candidate at a sighting: k needs times, as the next hint says.
        STEPS, "optimize t.csv", "say --k 3, or --requirements FILE", "--k 3",
        then="name times with --at",
    ),
    "requirements of problems": Case(
        "optimize p.jsonl", "say --requirements FILE, or --k with --at", "--requirements FILE",
        {"p.jsonl": PROBLEM, "asked.csv": ASKED}, fill={"FILE": "asked.csv"},
    ),
    "k with times": Case(
        "optimize p.jsonl", "say --requirements FILE, or --k with --at", "--k",
        {"p.jsonl": PROBLEM}, more="2 --at 3",
    ),
    "a table of two problems": Case(
        "optimize p.jsonl --k 2 --at 3 -o z.csv", "use --json", "--json", {"p.jsonl": PROBLEM * 2},
        more="j.json", drop="-o",
    ),
    "a budget of a method": table(
        STEPS, "optimize t.csv --k 2 --at 3 --budget 1 --method cpsat", "leave out --method",
        "leave out --method",
    ),
    "a budget with certificates": table(
        STEPS, "optimize t.csv --k 2 --at 3 --budget 1 --certificates c", "leave out --budget",
        "leave out --budget",
    ),
    "costs of zones": table(
        STEPS, "optimize t.csv --k 2 --at 3 --costs c.csv", "say --per place, too", "--per place",
        files={"c.csv": "place,cost\n1,1\n"},
    ),
    "weight of places": table(
        STEPS, "optimize t.csv --k 2 --at 3 --per place --weight members", "places have --costs",
        "--costs", more="c.csv", drop="--weight", files={"c.csv": "place,cost\n1,1\n"},
    ),
    "hours of numbers": table(
        STEPS, "optimize t.csv --k 2 --at 3 --per place:hour", "use --per place", "--per place",
    ),
    # Releases.
    "apply writes a folder": table(
        FIXES, "protect t.csv --k 2 --apply 1", "name it: --output DIR", "--output DIR",
        fill={"DIR": "out"},
    ),
    "rotation without times": table(
        STEPS, "pseudonymize t.csv --method rotate --steps-per-day 2 -o r --table w.csv",
        "say --rotate daily", "--rotate daily",
    ),
    "enforce with a minimum": table(
        STEPS,
        "pseudonymize t.csv --method mixzone --k 2 --zones minimum --enforce -o r --table w.csv",
        "use --zones all", "--zones all",
    ),
    "cells without users": Case(
        "pseudonymize c.csv --method shuffle -o r.csv --table w.csv", "say whose they are:",
        "--original ORG", {"c.csv": "reg_id\n1\n1\n1\n1\n3\n4\n", "t.csv": STEPS},
        fill={"ORG": "t.csv"},
    ),
    "an audit knows nothing": table(
        RELEASE, "audit t.csv --k 2", "give --knowledge FILE, or",
        "--knowledge FILE", files={"s.csv": "user_id,time_id,reg_id\n1,1,1\n"},
        fill={"FILE": "s.csv"},
    ),
    "an audit assumes": table(
        RELEASE, "audit t.csv --k 2", "give --knowledge FILE, or",
        "--assume N", fill={"N": "1"}, more="--reference o.csv",
        files={"o.csv": STEPS},
    ),
    "a graph that is not written": table(
        STEPS, "zones t.csv --graph-of meetings", "say --graph", "--graph", more="g.graphml",
    ),
    # Samples, contests, configuration.
    "a configuration without its file": table(
        STEPS, V + " --config", "as in --config run.toml", "--config run.toml",
        files={"run.toml": "k = 2\n"},
    ),
}  # fmt: skip

UNTRIED = {
    # A large source, a full disk, a slow search.
    "take fewer users (--users)": "data too large for a small test",
    "take fewer users or a shorter time, or ask without": "data too large for a small test",
    "ask engine auto or bounds, or take fewer users": "data too large for a small test",
    "use smaller cells or fewer users, or leave out --max-speed": "data too large",
    "use smaller cells or fewer users, or leave out --movement": "data too large",
    "give more --memory-limit": "data larger than memory",
    "of large ones give more --memory-limit": "data larger than memory",
    "give more (--memory-limit)": "data larger than memory",
    "give a folder with more space (--temporary-folder)": "needs a full disk",
    "give more --time-limit, or use --zones all": "needs a search that is slow",
    "or a longer --time-step": "clocks are read from 1990 to 2050, which has fewer seconds",
    # Places without coordinates, or evidence in Python; a feed of shared vehicles.
    "leave out --believable": "places without coordinates are tried in test_exchange_rules.py",
    "give what 'mixsafe links FEED --json FILE' has written": "tried in test_follower.py",
    # Several machines, an optional package.
    "dask worker ADDRESS --nthreads 1": "needs workers of Dask",
    "start some: dask worker": "needs workers of Dask",
    "(--cluster-folder)": "needs two machines",
    # Models, certificates, contests and pages, which take other commands first.
    "create a model with mixsafe synthesize train": "training is slow",
    "give more --days, or one file": "needs a trained model",
    "-o FOLDER": "needs a trained model",
    "see --region-count and --slots": "stands in for a hint that each error has",
    "give --poi FILE": "needs a contest's reference",
    "give --data for other regions": "needs a contest's data",
    "give a folder written by --certificates": "tests of check",
    "write it again: mixsafe verify": "tests of check",
    "leave out --source and --export": "needs a certificate of links",
    "If no vehicle leaves unseen, say so: --closed": "names options; tests of links use them",
    "say --knowledge, too, and name a release": "needs a certificate of an audit",
    "give --release PUB": "needs a scored contest",
    "give the result that was written with it": "tests of report",
    "give one, or --for officer": "tests of report",
    "replace it with -o": "tests of report",
    "with times as --output writes them": "needs a release to weigh",
    # Feeds.
    "say --column {}={} if it is that": "several meanings: tests of dialects",
    " --column {}=NAME": "a part of the hint of --column",
    "read them for these: --time-step {}": "a hint for Python: the command reads them so",
    "name it with --column {}=NAME (columns= in Python)": "tests of feeds of trips",
    "trips have the columns": "tests of feeds of trips",
    "with --column id=NAME": "tests of feeds of trips",
    "name the zone with --tz": "tests of feeds of trips",
    "name it with --tz": "a note of a feed, not a refusal",
    "out with --fields": "tests of feeds",
    # Special sources and rules.
    "say --crs EPSG:{}": "needs a table of EWKB",
    "say the zone that days are of": "needs two files of different zones",
    "say which of its files are read, such as": "tried, with the files of a user",
    "--layer NAME": "needs a GeoPackage: tests of vector files",
    "omit --columns": "tried, with text; the other needs Parquet",
    "say that they are different: --keep-together": "needs two people who are always together",
    "give one --max-speed for all": "refused before, by the options of audit",
    "leave out --max-step": "needs a release of other regions than the contest's",
    "hide stretches, or take --leave-out": "needs a remedy with a limit of movement",
    "publish by yourself who is in kept.csv (--leave-out)": "needs outlines of places",
    "use --adversary endpoints or daily": "zones from a file name their adversary: Python only",
    "use mixsafe audit for a release": "needs sightings of a release: tests of audit",
    "give their folder with --data": "needs a tournament of data sets: tests of its check",
    "say --sealed": "a note of what may still change, not of a refusal",
    "and those of 'mixsafe zones --map', have these names": "says where names are to be seen",
}
"""Constant text of hints that no small test tries, and why."""

_OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*|-o )|\bmixsafe [a-z]+ ")
_ADVISES = re.compile(
    r"\b(say|name it with|name the zone|column of vehicles|belong into|leave the field)\b"
)


def text_of(node: ast.Constant | ast.JoinedStr) -> str:
    """Its constant text; ``{}`` stands for what is filled in."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in parts)


def is_hint(node: ast.AST) -> bool:
    """Whether a value is a hint: by the name of its argument or of what it is assigned to."""
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Name) and node.target.id == "hint"
    if isinstance(node, ast.Assign):
        return any(isinstance(one, ast.Name) and "hint" in one.id.lower() for one in node.targets)
    return isinstance(node, ast.keyword) and node.arg == "hint"


def advice_of_the_source() -> Iterator[tuple[str, str]]:
    """Each text that advises an option or a command, with where it is."""
    for path in sorted(one for root in ("mixsafe", "cli") for one in (ROOT / root).rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        said = {id(one) for node in nodes if is_hint(node) for one in ast.walk(node)}
        parts = {
            id(one) for node in nodes if isinstance(node, ast.JoinedStr) for one in node.values
        }
        prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        library = path.is_relative_to(ROOT / "mixsafe")
        for node in nodes:
            if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in parts | prose:
                text = text_of(node)
                advises = id(node) in said or (library and _ADVISES.search(text))
                if advises and _OPTION.search(text):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", text


def test_all_advice_is_followed_or_explained() -> None:
    """A new hint is tried by a case, or it is said why it cannot be; and nothing is left over."""
    found = list(advice_of_the_source())
    assert len(found) > 80
    known = [*(one.hint for one in CASES.values()), *UNTRIED]
    assert not [one for one in found if not any(hint in one[1] for hint in known)]
    assert not [hint for hint in UNTRIED if not any(hint in text for _, text in found)]


def run(words: list[str]) -> tuple[int, str]:
    """Exit status, and all that was printed, in one line."""
    done = CliRunner().invoke(app, words)
    return done.exit_code, " ".join((done.stdout + done.stderr).split())


def without(words: list[str], option: str) -> list[str]:
    """A line without an option and its value."""
    if option not in words:
        return words
    at = words.index(option)
    end = at + 1
    while end < len(words) and not words[end].startswith("-"):
        end += 1
    return words[:at] + words[end:]


def followed(case: Case, words: list[str]) -> list[str]:
    """The line as the advice wants it; what is to be run before has been run."""
    said = case.advice
    for word, value in case.fill.items():
        said = said.replace(word, value)
    advised = shlex.split(said)
    if advised[:2] == ["mixsafe", words[0]]:
        assert run(advised[1:])[0] in (0, 1, 4)
        return words
    if advised[:1] == ["mixsafe"]:
        return [*advised[1:], *shlex.split(case.more)]
    given = [*advised, *shlex.split(case.more)]
    for option in [one for one in [*given, *case.drop.split()] if one.startswith("-")]:
        words = words if option == "--column" and not case.drop else without(words, option)
    return [*words, *(shlex.split(case.more) if advised[:1] in (["omit"], ["leave"]) else given)]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_followed(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who does what the hint says is not refused again."""
    monkeypatch.chdir(tmp_path)
    for name, text in case.files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    words = shlex.split(case.line)
    status, said = run(words)
    assert (status, case.hint in said, case.advice in said) == (2, True, True), said
    for name, text in case.mended.items():
        (tmp_path / name).write_text(text)
    status, said = run(followed(case, words))
    assert case.hint not in said, said
    assert status != 2 if case.then is None else case.then in said, said


def test_numbered_steps_are_not_sent_to_a_time_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``--time-step`` is refused where times are steps already."""
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(FAR)
    status, said = run(shlex.split(V))
    assert (status, "--start, --end" in said, "--time-step" in said) == (2, True, False)
