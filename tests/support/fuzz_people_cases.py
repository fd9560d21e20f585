"""Commands with files as phones, cars, ships and bikes write them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pyarrow as pa

from tests.support.fuzz_cases import CALM, OUT, Case

ASK = ("--k", "2", *CALM, *OUT)
BEGIN = 1_750_000_000
PLACES = ((48.137, 11.575), (48.138, 11.576), (48.137, 11.575))
PEOPLE = ("ann", "bob")


def _clock(seconds: int) -> str:
    """Time in ISO 8601."""
    return str(np.datetime64(seconds, "s")) + "Z"


def _fixes(apart: int) -> list[tuple[int, float, float]]:
    """Times and positions of somebody."""
    return [
        (BEGIN + 600 * step, lat + 0.01 * apart * (step == 0), lon)
        for step, (lat, lon) in enumerate(PLACES)
    ]


def _gpx(apart: int) -> bytes:
    points = "".join(
        f'<trkpt lat="{lat}" lon="{lon}"><ele>519</ele><time>{_clock(time)}</time></trkpt>\n'
        for time, lat, lon in _fixes(apart)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<gpx version="1.1" creator="phone" xmlns="http://www.topografix.com/GPX/1/1">\n'
        f"<trk><name>walk</name><trkseg>\n{points}</trkseg></trk>\n</gpx>\n"
    ).encode()


def _kml(apart: int) -> bytes:
    points = "".join(
        f"<Placemark><TimeStamp><when>{_clock(time)}</when></TimeStamp>"
        f"<Point><coordinates>{lon},{lat},0</coordinates></Point></Placemark>\n"
        for time, lat, lon in _fixes(apart)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<kml xmlns="http://www.opengis.net/kml/2.2"><Document>\n{points}</Document></kml>\n'
    ).encode()


def _records(apart: int) -> bytes:
    """Google's records of a phone."""
    found = [
        {"latitudeE7": round(lat * 1e7), "longitudeE7": round(lon * 1e7), "accuracy": 12,
         "timestamp": _clock(time)}
        for time, lat, lon in _fixes(apart)
    ]  # fmt: skip
    return json.dumps({"locations": found}).encode()


def _timeline(apart: int) -> bytes:
    """Google's timeline of an Android phone."""
    path = [{"point": f"{lat}°, {lon}°", "time": _clock(time)} for time, lat, lon in _fixes(apart)]
    first, last = path[0]["time"], path[-1]["time"]
    return json.dumps(
        {"semanticSegments": [{"startTime": first, "endTime": last, "timelinePath": path}]}
    ).encode()


def _apple(apart: int) -> bytes:
    """Google's timeline of an iPhone."""
    path = [
        {"point": f"geo:{lat},{lon}", "durationMinutesOffsetFromStartTime": str(10 * step)}
        for step, (_, lat, lon) in enumerate(_fixes(apart))
    ]
    whole = {"startTime": _clock(BEGIN), "endTime": _clock(BEGIN + 1800), "timelinePath": path}
    return json.dumps([whole]).encode()


def _owntracks(apart: int) -> bytes:
    """A recording of OwnTracks."""
    return "".join(
        f"{_clock(time)}\t*                 \t"
        + json.dumps({"_type": "location", "lat": lat, "lon": lon, "tst": time, "acc": 9})
        + "\n"
        for time, lat, lon in _fixes(apart)
    ).encode()


def _all_fixes() -> list[tuple[str, int, float, float]]:
    return [(who, *fix) for apart, who in enumerate(PEOPLE) for fix in _fixes(apart)]


def _transit() -> bytes:
    """Snapshots of a GTFS Realtime feed, a line each."""
    snapshots = []
    for step in range(len(PLACES)):
        entities = [
            {"id": who, "vehicle": {
                "vehicle": {"id": who}, "timestamp": str(fix[0]),
                "position": {"latitude": fix[1], "longitude": fix[2]}}}
            for apart, who in enumerate(PEOPLE)
            for fix in [_fixes(apart)[step]]
        ]  # fmt: skip
        head = {"gtfsRealtimeVersion": "2.0", "timestamp": str(BEGIN + 600 * step)}
        snapshots.append(json.dumps({"header": head, "entity": entities}))
    return "\n".join([*snapshots, ""]).encode()


def trips_of_mds() -> bytes:
    """An answer of MDS with two trips."""
    trips = []
    for apart, who in enumerate(PEOPLE):
        route = [
            {"type": "Feature", "properties": {"timestamp": 1000 * time},
             "geometry": {"type": "Point", "coordinates": [lon, lat]}}
            for time, lat, lon in _fixes(apart)
        ]  # fmt: skip
        trips.append({
            "provider_id": "p", "device_id": who, "vehicle_id": who, "trip_id": f"trip {who}",
            "start_time": 1000 * BEGIN, "end_time": 1000 * (BEGIN + 1200),
            "route": {"type": "FeatureCollection", "features": route},
        })  # fmt: skip
    return json.dumps({"version": "1.2.0", "data": {"trips": trips}}).encode()


def _lines_of_json() -> bytes:
    """A record a line."""
    return "".join(
        json.dumps({"user_id": who, "time": _clock(time), "lat": lat, "lon": lon}) + "\n"
        for who, time, lat, lon in _all_fixes()
    ).encode()


def _ships() -> bytes:
    """Ships as Denmark publishes them."""
    rows = ["# Timestamp,Type of mobile,MMSI,Latitude,Longitude,SOG"]
    for number, (who, time, lat, lon) in enumerate(_all_fixes()):
        day, clock = _clock(time)[:-1].split("T")
        year, month, date = day.split("-")
        mmsi = 219000000 + PEOPLE.index(who)
        rows.append(f"{date}/{month}/{year} {clock},Class A,{mmsi},{lat},{lon},{number}.0")
    return "\n".join([*rows, ""]).encode()


def _stays() -> bytes:
    """Stays at places with names."""
    return (
        b"user_id,started_at,finished_at,place\n"
        b"ann,2026-11-29T08:00:00Z,2026-11-29T08:30:00Z,hall\n"
        b"ann,2026-11-29T08:40:00Z,2026-11-29T09:00:00Z,lab\n"
        b"bob,2026-11-29T08:10:00Z,2026-11-29T08:50:00Z,hall\n"
    )


def _taxis() -> bytes:
    """A table of a European spreadsheet."""
    rows = ["Fahrer;time;lat;lon"]
    for who, time, lat, lon in _all_fixes():
        rows.append(f"Jürgen {who};{_clock(time)};{str(lat).replace('.', ',')};"
                    f"{str(lon).replace('.', ',')}")  # fmt: skip
    return "\r\n".join([*rows, ""]).encode("cp1252")


def _layer(folder: Path, driver: str, ending: str) -> bytes:
    """Fixes as a layer of points, written by GDAL."""
    from pyogrio.raw import write_arrow
    from shapely import points, to_wkb

    who, time, lat, lon = zip(*_all_fixes(), strict=True)
    table = pa.table({
        "user_id": who,
        "time": pa.array(time, pa.int64()),
        "geometry": pa.array(list(to_wkb(points(lon, lat))), pa.binary()),
    })  # fmt: skip
    path = folder / f"layer.{ending}"
    write_arrow(table, path, driver=driver, geometry_name="geometry", geometry_type="Point",
                crs="EPSG:4326")  # fmt: skip
    return path.read_bytes()


def people_cases(folder: Path) -> list[Case]:
    """Data of people and fleets as other programs write them.

    Parameters
    ----------
    folder
        Where files may be written.
    """
    pairs = [
        ("gpx", _gpx), ("rec", _owntracks), ("Records.json", _records),
        ("Timeline.json", _timeline), ("location.json", _apple),
    ]  # fmt: skip
    alone = [
        ("ships.csv", _ships(), ("--day-first",)), ("stays.csv", _stays(), ()),
        ("transit.jsonl", _transit(), ()), ("mds.json", trips_of_mds(), ()),
        ("records.jsonl", _lines_of_json(), ()),
        ("taxis.csv", _taxis(), ("--column", "user_id=Fahrer")),
    ]  # fmt: skip
    with_gdal = importlib.util.find_spec("pyogrio") is not None
    if with_gdal:
        alone += [("f.fgb", _layer(folder, "FlatGeobuf", "fgb"), ()),
                  ("f.geojsonl", _layer(folder, "GeoJSONSeq", "geojsonl"), ())]  # fmt: skip
        pairs.append(("kml", _kml))
    cases = []
    for name, make in pairs if with_gdal else pairs[1:]:
        files = {f"{who}{'.' if '.' not in name else '/'}{name}": make(apart)
                 for apart, who in enumerate(PEOPLE)}  # fmt: skip
        if "." in name:
            files = {f"all/{file}": content for file, content in files.items()}
            words = ("verify", "all", "--files", f"{{user_id}}/{name}", *ASK)
        else:
            words = ("verify", *files, *ASK)
        cases.append(Case(words, files, (next(iter(files)),)))
    cases += [Case(("verify", name, *more, *ASK), {name: content}, (name,))
              for name, content, more in alone]  # fmt: skip
    return cases + [
        Case(("datasets", "describe", name, *more, "--json", "out.json"), {name: content}, (name,))
        for name, content, more in alone[:3]
    ]
