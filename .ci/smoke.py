"""Run every ``--help``, and what each dependency is needed for, with whatever is installed.

``.ci/lowest`` runs it with the oldest versions that ``pyproject.toml`` allows.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROBLEM = {
    "users": ["a", "b", "c"],
    "horizon": 4,
    "zones": [[1, ["a", "b", "c"]], [3, ["a", "b"]]],
    "knowledge": [["a", 0], ["b", 4]],
    "requirements": [["c", 2, 2]],
}

SQUARE = {"type": "Point", "coordinates": [135.5, 34.69]}
PLACES = {
    "type": "FeatureCollection",
    "features": [
        {"type": "Feature", "properties": {"name": "square", "radius": 400}, "geometry": SQUARE}
    ],
}

TRACK = """<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>walk</name><trkseg>
<trkpt lat="34.69" lon="135.5"><time>2024-03-01T08:00:00Z</time></trkpt>
<trkpt lat="34.70" lon="135.5"><time>2024-03-01T08:05:00Z</time></trkpt>
</trkseg></trk></gpx>"""

COMMANDS = """
verify traces.csv --k 2 --json result.json --plot wires.svg --output wires.parquet
report result.json -o page.html
verify wires.jsonl --engine cpsat
verify problem.json --certificates certificates
check certificates
zones traces.parquet --graph zones.graphml --map zones.geojson --cells h3:8 -o zones.csv
zones traces.csv --places places.geojson --map zones.parquet -o outlines.parquet
verify layer.fgb --k 2
datasets describe ana.gpx ben.gpx --json described.json
zones plane.csv --crs EPSG:6674 -o plane_zones.csv
optimize problem.json --json minimum.json --plot minimum.svg
breaking problem.json --json numbers.json
weigh problem.json --output weights.csv
pseudonymize org.csv -o release.csv --table secret.csv --method mixzone --k 2
audit release.csv --knowledge org.csv --json audit.json --plot audit.png
protect traces.csv --k 3 --leave-out --plot remedies.svg
compare problem.json --engines auto,cpsat,dp --plot compared.svg -o compared.csv
synthesize fleet -o feed --vehicles 30 --days 1
links feed --output links.parquet
verify traces.csv --k 2 --cluster local:1
"""
"""A command line each; any verdict is right."""

VERDICTS = (0, 1, 3, 4)


def main() -> int:
    """Run all steps; print and count those that fail."""
    os.environ["COLUMNS"] = "100"
    red = help_of_all()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_data(folder)
        for command in filter(None, COMMANDS.split("\n")):
            red += run(command.split(), folder)
    print("\n".join(red) or "Every command works.")
    return 1 if red else 0


def help_of_all() -> list[str]:
    """What fails of the help of all commands."""
    from typer.main import get_command

    from mixsafe_cli.app import app

    group = get_command(app)
    red = []
    left: list[list[str]] = [[]]
    while left:
        words = left.pop()
        found = group
        for word in words:
            found = found.get_command(None, word)
        left += [[*words, name] for name in getattr(found, "commands", ())]
        short = getattr(found, "main_options", ())
        for option in ("--help", "--help-all") if short else ("--help",):
            said = io.StringIO()
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                try:
                    group.main([*words, option])
                except SystemExit as end:
                    status = end.code
            if status or "Usage" not in said.getvalue():
                red.append(f"mixsafe {' '.join([*words, option])}: {said.getvalue()[-300:]}")
    return red


def write_data(folder: Path) -> None:
    """Traces of six people, and what belongs to them, in a folder."""
    import pandas as pd

    rows = [
        (f"u{user}", 1_709_280_000 + 60 * step, 34.69 + 0.002 * ((user * step) % 3), 135.5)
        for user in range(6)
        for step in range(8)
    ]
    traces = pd.DataFrame(rows, columns=["user_id", "time", "lat", "lon"])
    traces.to_csv(folder / "traces.csv", index=False)
    traces.to_parquet(folder / "traces.parquet", index=False)
    numbered = traces.assign(time_id=traces.index % 8 + 1, reg_id=traces.index % 3 + 1)
    columns = ["user_id", "time_id", "reg_id"]
    numbered.assign(user_id=traces.index // 8 + 1)[columns].to_csv(folder / "org.csv", index=False)
    plane = traces.assign(lat=-145_000 + traces.index, lon=-45_000.0)
    plane.to_csv(folder / "plane.csv", index=False)
    (folder / "ana.gpx").write_text(TRACK, "utf-8")
    (folder / "ben.gpx").write_text(TRACK.replace("135.5", "135.6"), "utf-8")
    write_layer(folder / "layer.fgb", traces)
    (folder / "problem.json").write_text(json.dumps(PROBLEM), "utf-8")
    (folder / "wires.jsonl").write_text(f"{json.dumps(PROBLEM)}\n" * 2, "utf-8")
    (folder / "places.geojson").write_text(json.dumps(PLACES), "utf-8")


def write_layer(path: Path, traces: object) -> None:
    """The traces as points of FlatGeobuf."""
    import numpy as np
    import shapely
    from pyogrio.raw import write

    points = shapely.to_wkb(shapely.points(traces["lon"], traces["lat"]))
    fields = [np.asarray(traces[name]) for name in ("user_id", "time")]
    write(
        path, points, fields, ["user_id", "time"], geometry_type="Point", crs="EPSG:4326",
        driver="FlatGeobuf",
    )  # fmt: skip


def run(words: list[str], folder: Path) -> list[str]:
    """What fails of a command, in a process of its own."""
    program = [sys.executable, "-c", "from mixsafe_cli.app import app; app()", *words]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode in VERDICTS and "Warning" not in done.stderr:
        return []
    return [f"mixsafe {' '.join(words)}: status {done.returncode}\n{done.stderr[-1000:]}"]


if __name__ == "__main__":
    sys.exit(main())
