"""Recordings of phones and watches in XML, as their apps write them; and files written by GDAL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

LAT, LON = 35.6, 139.7
"""Where the first point is; each further one is 0.001 degrees north of it."""

GPX = """<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="a phone" xmlns="http://www.topografix.com/GPX/1/1">
"""


def gpx(tracks: Mapping[str, Iterable[str | None]], before: str = "") -> str:
    """GPX with a track for each name; a name that is empty is not written, nor a time of None."""
    made = []
    for name, times in tracks.items():
        points = "\n".join(
            f'<trkpt lat="{LAT + place / 1000:.3f}" lon="{LON}"><ele>4.5</ele>'
            + ("" if time is None else f"<time>{time}</time>")
            + "</trkpt>"
            for place, time in enumerate(times)
        )
        called = f"<name>{name}</name>" if name else ""
        made.append(f"<trk>{called}<trkseg>\n{points}\n</trkseg></trk>")
    return "\n".join([GPX + before, *made, "</gpx>"])


def kml_track(times: Sequence[str], name: str = "walk") -> str:
    """KML with a track, as apps for phones write it."""
    whens = "".join(f"<when>{one}</when>" for one in times)
    coords = "".join(
        f"<gx:coord>{LON} {LAT + place / 1000:.3f} 4.5</gx:coord>" for place in range(len(times))
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"'
        ' xmlns:gx="http://www.google.com/kml/ext/2.2"><Document><Placemark>'
        f"<name>{name}</name><gx:Track>{whens}{coords}</gx:Track></Placemark></Document></kml>"
    )


def tcx(times: Sequence[str]) -> str:
    """TCX with an activity."""
    points = "".join(
        f"<Trackpoint><Time>{time}</Time><Position><LatitudeDegrees>{LAT + place / 1000:.3f}"
        f"</LatitudeDegrees><LongitudeDegrees>{LON}</LongitudeDegrees></Position></Trackpoint>"
        for place, time in enumerate(times)
    )
    return (
        '<?xml version="1.0"?>\n<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/'
        'TrainingCenterDatabase/v2"><Activities><Activity Sport="Running"><Id>1</Id><Lap><Track>'
        f"{points}</Track></Lap></Activity></Activities></TrainingCenterDatabase>"
    )


def vector_file(
    path: Path,
    fixes: Sequence[tuple[object, object, float, float]],
    driver: str,
    *,
    points: Sequence[object] | None = None,
    names: Sequence[str] = ("user_id", "time"),
    **more: object,
) -> Path:
    """A file of points, written by GDAL: user, time, longitude and latitude of each.

    Other geometries may be given for them; what else is said goes to pyogrio.
    """
    import numpy as np
    import shapely
    from pyogrio.raw import write

    user, time, lon, lat = zip(*fixes, strict=True)
    moments = isinstance(time[0], np.datetime64)
    fields = [np.array(user, object), np.array(time, "datetime64[ms]" if moments else object)]
    shapes = shapely.to_wkb(points or list(shapely.points(lon, lat)), flavor="iso")
    about = {"crs": "EPSG:4326", "geometry_type": "Point", "driver": driver, **more}
    write(path, shapes, fields, list(names), **about)
    return path
