"""Two people who cross once, written as programs export them, and what is right about them."""

import json
import random
from datetime import UTC, datetime

import mixsafe
from mixsafe.extract.pose import pose
from mixsafe.io.sources import load

BEGIN = 1709280600
"""2024-03-01T08:10:00Z."""

ANA = [(BEGIN, 52.5, 13.39), (BEGIN + 60, 52.5, 13.4), (BEGIN + 120, 52.5, 13.41)]
BEN = [(BEGIN, 52.5, 13.41), (BEGIN + 60, 52.5, 13.4), (BEGIN + 120, 52.5, 13.39)]
CROSSING = {"ana": ANA, "ben": BEN}
ROWS = sorted((user, *fix) for user, fixes in CROSSING.items() for fix in fixes)


def iso(time):
    return f"{datetime.fromtimestamp(time, UTC):%Y-%m-%dT%H:%M:%S}Z"


def written(path, content):
    """The path of a text, or of a value as JSON; its folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def personal(folder, name, of):
    """The files of both, ``ana.json`` and ``ben.json`` or the like; ``of`` makes one of fixes."""
    return [written(folder / f"{user}.{name}", of(fixes)) for user, fixes in CROSSING.items()]


def fixes_of(found):
    rows = zip(found.users[found.user], found.time, found.lat, found.lon, strict=True)
    return sorted((str(user), int(time), float(lat), float(lon)) for user, time, lat, lon in rows)


def check(found, folder):
    """Users, fixes, zones and verdict are those of the table that says the same."""
    rows = "".join(f"{user},{time},{lat},{lon}\n" for user, time, lat, lon in ROWS)
    right = load(written(folder / "right.csv", f"user_id,time,lat,lon\n{rows}"))
    assert fixes_of(found) == fixes_of(right) == ROWS
    zones, same = (pose(one, cell_size=100.0) for one in (found, right))
    assert len(zones.zones.time) == 1
    assert zones.zones.members.tolist() == same.zones.members.tolist()
    assert mixsafe.verify(zones, k=2).verdict is mixsafe.verify(same, k=2).verdict


def shuffled(value, seed=1):
    """A value with the keys of its objects in another order."""
    if isinstance(value, list):
        return [shuffled(one, seed) for one in value]
    if not isinstance(value, dict):
        return value
    keys = list(value)
    random.Random(seed).shuffle(keys)
    return {key: shuffled(value[key], seed) for key in keys}
