"""Files as people have them: each is read right, with what was assumed, or refused with a way on.

To add files, add entries to ``READ`` and ``REFUSED``.
"""

from dataclasses import dataclass, field

import pytest
from typer.testing import CliRunner

import mixsafe
from mixsafe.errors import InputError
from mixsafe.model.answer.verdict import Verdict
from mixsafe_cli.app import app

MET, ALONE = Verdict.SAFE, Verdict.UNSAFE


@dataclass(frozen=True)
class Read:
    """A file, and what is in it.

    Parameters
    ----------
    text
        Content of the file.
    users, fixes, zones, verdict
        What is right: names as texts, numbers for 60 s and 100 m, and whether everybody has 2
        candidates at some time.
    how
        Options of ``load``.
    notes
        Parts of its notes, each of one note.
    skipped
        Rows that are no data, by reason.
    name
        Name of the file.
    """

    text: str
    users: str
    fixes: int
    zones: int
    verdict: Verdict
    how: dict = field(default_factory=dict)
    notes: tuple = ()
    skipped: dict = field(default_factory=dict)
    name: str = "file.csv"


@dataclass(frozen=True)
class Refused:
    """A file that says too little, what is said about it, and options with which it is read.

    Parameters
    ----------
    text
        Content of the file.
    said
        Parts of the message and its hint.
    options
        Options of the command line that the hint names, and that help; empty: the file is changed.
    """

    text: str
    said: tuple
    options: tuple = ()
    name: str = "file.csv"


def seen(header, *rows, separator=","):
    return "\n".join([header, *rows]).replace(",", separator) + "\n"


AT = "2024-03-01 08:15:"
BOTH = (f"{AT}30", f"{AT}40")
"""Two moments in one step."""

PLACES = {
    "place": ("user_id,time,place", "0150", "150"),
    "access points": ("mac,timestamp,ap_name", "AcadBldg12AP3", "LibBldg2AP1"),
    "bssid": ("device,time,bssid", "00:1a:2b:3c:4d:5e", "00:1a:2b:3c:4d:5f"),
    "venues": ("user,check-in time,venue id", "49bbd6c0f964a520f4531fe3", "4a"),
    "stations": ("card_id,ts,station", "Odeon", "Nation"),
    "location": ("person_id,datetime,location_name", "Café", "Cafe"),
    "cells": ("caller id,timestamp,cell id", "901-10-3041-2", "901-10-3041-3"),
    "cid alone": ("imsi,timestamp,cid", "17", "18"),
    "antennas": ("subscriber,time,antenna", "A 1", "A 2"),
    "badges": ("badge_id,time,badge_reader", "Main door", "main door"),
    "doors": ("employee_id,time,door", "7", "07"),
    "rooms": ("patient_id,time,room", "1.10", "1.1"),
    "zones": ("visitor_id,time,zone_name", "Hall A", "Hall B"),
    "hexagons": ("driver_id,timestamp,h3", "8928308280fffff", "8928308280bffff"),
}
"""Columns of users, times and named places, one place, and another one."""

NAMED = {
    f"{kind}, {what}": Read(
        seen(header, f"a,{BOTH[0]},{one}", f"b,{BOTH[1]},{other}"),
        "a b",
        2,
        zones,
        verdict,
    )
    for kind, (header, one, another) in PLACES.items()
    for what, other, zones, verdict in (
        ("met", one, 1, MET),
        ("apart", another, 0, ALONE),
    )
}

STAY_COLUMNS = (
    ("user_id", "place", "started_at", "finished_at"),
    ("user", "ap", "connected_at", "disconnected_at"),
    ("visitor_id", "venue", "arrival", "departure"),
    ("person", "room", "arrived_at", "left_at"),
    ("mac", "ap_name", "start", "end"),
    ("user", "station_id", "start_time", "end_time"),
    ("user", "location_id", "check_in", "check_out"),
    ("user", "site", "check-in time", "check-out time"),
)

STAYS = {
    f"stays by {start}": Read(
        seen(
            f"{user},{place},{start},{end}",
            # a is at home for three steps, b comes in the last of them and stays for one more.
            "a,home,2024-03-01 08:00:00,2024-03-01 08:03:00",
            "b,home,2024-03-01 08:02:20,2024-03-01 08:04:00",
        ),
        "a b",
        # 08:00, 08:01, 08:02, 08:02:59; 08:02:20, 08:03, 08:03:59
        7,
        1,
        MET,
        notes=(f"rows are stays from '{start}' until '{end}'", "read as UTC"),
    )
    for user, place, start, end in STAY_COLUMNS
}

TRACKINTEL = seen(
    "id,user_id,started_at,finished_at,geom,location_id",
    "0,a,2024-03-01 08:00:00+00:00,2024-03-01 08:03:00+00:00,POINT (8.1 47.1),7",
    "1,b,2024-03-01 08:02:20+00:00,2024-03-01 08:04:00+00:00,POINT (8.1 47.1),8",
)

SHIPS = {
    "AIS of the USA until 2024": Read(
        seen(
            "MMSI,BaseDateTime,LAT,LON,SOG,COG,Heading,VesselName",
            "367000001,2024-03-01T08:15:30,29.9,-90.1,0.0,360.0,511,A",
            "367000002,2024-03-01T08:15:40,29.9,-90.1,0.0,360.0,511,B",
            "367000003,2024-03-01T08:15:45,91.0,181.0,0.0,360.0,511,C",
        ),
        "367000001 367000002 367000003",
        2,
        1,
        MET,
        skipped={"no position": 1},
    ),
    "AIS of the USA since 2025": Read(
        seen(
            "mmsi,base_date_time,longitude,latitude,sog,cog,heading,vessel_name",
            "367000001,2025-01-01 08:15:30,-90.1,29.9,0,360,511,A",
            "367000002,2025-01-01 08:15:40,-90.1,29.9,0,360,511,B",
        ),
        "367000001 367000002",
        2,
        1,
        MET,
    ),
    "AIS of Denmark": Read(
        seen(
            "# Timestamp,Type of mobile,MMSI,Latitude,Longitude,Navigational status",
            "01/03/2024 00:00:00,Class A,219000001,55.5,12.5,Under way",
            "01/03/2024 00:00:10,Class A,219000002,55.5,12.5,Under way",
        ),
        "219000001 219000002",
        2,
        1,
        MET,
        {"day_first": True},
    ),
    "AIS of Denmark, with a day above 12": Read(
        seen(
            "# Timestamp,Type of mobile,MMSI,Latitude,Longitude,Navigational status",
            "13/03/2024 00:00:00,Class A,219000001,55.5,12.5,Under way",
            "13/03/2024 00:00:10,Class A,219000002,55.6,12.5,Under way",
        ),
        "219000001 219000002",
        2,
        0,
        ALONE,
        notes=("with the day first",),
    ),
    "OpenSky": Read(
        seen(
            "time,icao24,lat,lon,velocity,callsign",
            "1709280930,3c6444,50.0,8.5,200,DLH1",
            "1709280940,3c6445,50.0,8.5,200,DLH2",
        ),
        "3c6444 3c6445",
        2,
        1,
        MET,
    ),
}

TRACCAR = "id,deviceId,protocol,serverTime,deviceTime,fixTime,valid,latitude,longitude,altitude"
MOVEBANK = (
    "event-id,visible,timestamp,location-long,location-lat,sensor-type,tag-local-identifier,"
    "individual-local-identifier,study-name"
)

TRACKERS = {
    "Traccar, from its API": Read(
        seen(
            TRACCAR,
            f"1,3,osmand,{AT}59,{AT}30,{AT}30,true,52.5,13.4,0",
            f"2,4,osmand,{AT}59,{AT}30,{AT}40,true,52.5,13.4,0",
            # The device has no fix, and repeats the last one.
            f"3,4,osmand,{AT}59,{AT}50,{AT}40,false,52.5,13.4,0",
        ),
        "3 4",
        2,
        1,
        MET,
        skipped={"flagged as no fix": 1},
    ),
    "Traccar, with another time of the server": Read(
        seen(
            TRACCAR,
            f"1,3,osmand,{AT}59,{AT}30,{AT}30,true,52.5,13.4,0",
            f"2,4,osmand,{AT}59,{AT}30,2024-03-01 08:14:40,true,52.5,13.4,0",
        ),
        "3 4",
        2,
        0,
        ALONE,
    ),
    "Movebank": Read(
        seen(
            MOVEBANK,
            f"1,true,{AT}30.000,13.4,52.5,gps,T1,Stork A,S",
            f"2,true,{AT}31.000,,,gps,T1,Stork A,S",
            f"3,true,{AT}40.000,13.4,52.5,gps,T2,Stork B,S",
            f"4,false,{AT}50.000,13.4,2.5,gps,T2,Stork B,S",
        ),
        "Stork A,Stork B",
        2,
        1,
        MET,
        skipped={"no position": 1, "flagged as no fix": 1},
    ),
    "Movebank, of whose outliers one is far out": Read(
        seen(
            MOVEBANK,
            f"1,true,{AT}30.000,13.4,52.5,gps,T1,Stork A,S",
            f"3,true,{AT}40.000,13.4,52.5,gps,T2,Stork B,S",
            f"4,false,{AT}50.000,13.4,252.5,gps,T2,Stork B,S",
        ),
        "Stork A,Stork B",
        2,
        1,
        MET,
        skipped={"flagged as no fix": 1},
    ),
    "a column that is no flag": Read(
        seen(
            "user_id,time,lat,lon,valid",
            f"a,{BOTH[0]},52.5,13.4,2024-12-31",
            f"b,{BOTH[1]},52.5,13.4,no",
        ),
        "a b",
        2,
        1,
        MET,
    ),
}

SUMO = seen(
    "timestep_time,vehicle_angle,vehicle_id,vehicle_lane,vehicle_x,vehicle_y",
    "0.00,1,v0,e_0,10.0,10.0",
    "0.50,1,v1,e_0,10.5,10.0",
    "60.00,1,v0,e_0,11.0,10.0",
    "60.50,1,v1,e_0,4011.0,10.0",
    separator=";",
)

OTHERS = {
    "SUMO": Read(
        SUMO,
        "v0 v1",
        4,
        1,
        MET,
        {"crs": "metres"},
        notes=("seconds of a simulation: 0 is shown as 1970-01-01 00:00 UTC",),
    ),
    "SUMO, in Parquet's columns": Read(
        seen("time,id,x,y", "0.0,v0,10,10", "0.5,v1,10,10", "61.0,v1,5000,10"),
        "v0 v1",
        3,
        1,
        MET,
        {"crs": "metres", "column": {"user_id": "id", "seconds": "time"}},
        notes=("seconds of a simulation",),
    ),
    "Gowalla, with a header": Read(
        seen(
            "user,check-in time,latitude,longitude,location id",
            "0,2010-10-19T23:55:27Z,30.2359091167,-97.7951395833,22847",
            "1,2010-10-19T23:55:30Z,30.2359091167,-97.7951395833,22848",
        ),
        "0 1",
        2,
        1,
        MET,
        notes=("column 'location id' not used: times and places are from 'check-in time'",),
    ),
    "Gowalla, by its locations": Read(
        seen(
            "user,check-in time,latitude,longitude,location id",
            "0,2010-10-19T23:55:27Z,30.2359091167,-97.7951395833,22847",
            "1,2010-10-19T23:55:30Z,30.2359091167,-97.7951395833,22848",
        ),
        "0 1",
        2,
        0,
        ALONE,
        {"column": {"reg_id": "location id"}},
    ),
    "a comment called place": Read(
        seen(
            "user_id,time,lat,lon,place",
            f"a,{BOTH[0]},52.5,13.4,at home",
            f"b,{BOTH[1]},52.5,13.4,with a",
        ),
        "a b",
        2,
        1,
        MET,
        notes=("column 'place' not used",),
    ),
    "staypoints of trackintel": Read(
        TRACKINTEL, "a b", 7, 1, MET, notes=("rows are stays", "'location_id' not used")
    ),
    **{
        f"trips of MobilityDB in a column {name}, with a start and an end": Read(
            seen(
                f"vehicle_id;start_time;end_time;{name}",
                *(
                    f"{vehicle};2024-03-01 08:00;2024-03-01 08:05;"
                    "[POINT(8.1 47.1)@2024-03-01 08:00+00, POINT(8.2 47.1)@2024-03-01 08:05+00]"
                    for vehicle in "ab"
                ),
            ),
            "a b",
            4,
            2,
            MET,
        )
        for name in ("trip", "geometry")
    },
    "a site beside coordinates of Movebank": Read(
        seen(
            "timestamp,location-long,location-lat,individual-local-identifier,site",
            f"{BOTH[0]},13.4,52.5,Stork A,north",
            f"{BOTH[1]},13.4,52.5,Stork B,south",
        ),
        "Stork A,Stork B",
        2,
        1,
        MET,
        notes=("column 'site' not used",),
    ),
    "stays of scikit-mobility": Read(
        seen(
            "uid,datetime,lat,lng,leaving_datetime",
            "a,2024-03-01 08:00:00,47.1,8.1,2024-03-01 08:03:00",
            "b,2024-03-01 08:02:20,47.1,8.1,2024-03-01 08:04:00",
        ),
        "a b",
        7,
        1,
        MET,
        notes=("rows are stays from 'datetime' until 'leaving_datetime'",),
    ),
    "accounting of RADIUS": Read(
        seen(
            "username,acctstarttime,acctstoptime,nasipaddress,calledstationid",
            "a,2024-03-01 08:00:00,2024-03-01 08:03:00,10.0.0.1,00-1A:eduroam",
            "b,2024-03-01 08:02:20,2024-03-01 08:04:00,10.0.0.1,00-1A:eduroam",
        ),
        "a b",
        7,
        1,
        MET,
        notes=("rows are stays",),
    ),
    "starts alone": Read(TRACKINTEL, "a b", 2, 0, ALONE, {"column": {"time": "started_at"}}),
    "a column of times beside stays": Read(
        seen(
            "user_id,time,place,start,end",
            f"a,{BOTH[0]},home,{AT}00,{AT}59",
            f"b,{BOTH[1]},home,{AT}00,{AT}59",
        ),
        "a b",
        2,
        1,
        MET,
        notes=("columns 'start' and 'end' not used",),
    ),
    "shifts with a date": Read(
        seen(
            "employee_id,room,date,start,end",
            "a,1,2024-03-01,08:00,08:03",
            "b,1,2024-03-01,08:02,08:04",
        ),
        "a b",
        7,
        1,
        MET,
    ),
}

READ = NAMED | STAYS | SHIPS | TRACKERS | OTHERS


def written(path, case):
    path = path / case.name
    path.write_bytes(case.text if isinstance(case.text, bytes) else case.text.encode())
    return path


@pytest.mark.parametrize("name", READ)
def test_a_file_is_read_as_what_it_is(name, tmp_path):
    """Users, fixes, zones and verdict of a file are those that its publisher would name."""
    case = READ[name]
    traces = mixsafe.load(written(tmp_path, case), **case.how)
    users = case.users.split("," if "," in case.users else " ")
    assert [str(user) for user in traces.users.tolist()] == users
    assert len(traces.time) == case.fixes
    skipped = {one.reason: one.count for one in traces.premises.skipped}
    assert skipped == case.skipped
    for part in case.notes:
        assert any(part in note for note in traces.notes), traces.notes
    answer = mixsafe.verify(traces, k=2, adversary="none", rule="some")
    assert (len(answer.problem.zones), answer.verdict) == (case.zones, case.verdict)


REFUSED = {
    "two candidates of places": Refused(
        seen("user_id,time,venue,venue_id", f"a,{BOTH[0]},Café,7", f"b,{BOTH[1]},Bar,8"),
        ("columns venue and venue_id both contain places", "--column reg_id=NAME"),
        ("--column", "reg_id=venue_id"),
    ),
    "two candidates of users": Refused(
        seen("mac,username,time,ap", f"0a,a,{BOTH[0]},AP1", f"0b,b,{BOTH[1]},AP1"),
        ("columns mac and username both contain user_id", "--column user_id=NAME"),
        ("--column", "user_id=mac"),
    ),
    "cells and their areas": Refused(
        seen("imsi,lac,cid,time", f"1,3041,2,{BOTH[0]}", f"2,3042,2,{BOTH[1]}"),
        ("'lac' is an area", "join lac and cid", "--column reg_id=cid"),
        ("--column", "reg_id=cid"),
    ),
    "a plane": Refused(
        SUMO,
        ("no column of places", "--crs metres", "vehicle_x and vehicle_y"),
        ("--crs", "metres"),
    ),
    "who is who": Refused(
        seen("time,id,lat,lon", f"{BOTH[0]},v0,1,1", f"{BOTH[1]},v1,1,1"),
        ("no column of users", "--column user_id=id"),
        ("--column", "user_id=id"),
    ),
    "seconds of a simulation": Refused(
        seen("time,user_id,lat,lon", "0.0,v0,1,1", "0.5,v1,1,1"),
        ("0.0 is not a Unix time", "--column seconds=time"),
        ("--column", "seconds=time"),
    ),
    "seconds before the start": Refused(
        seen("timestep_time,user_id,lat,lon", "-5,v0,1,1", "1e30,v1,1,1", "0.5,v2,1,1"),
        ("line 2, column 'timestep_time'", "-5.0 is no number of seconds", "--skip-bad"),
        ("--skip-bad", "--most-bad", "2"),
    ),
    "one's own device": Refused(
        seen("Valid;Time;Latitude;Longitude", f"TRUE;{AT}30;52.5;13.4"),
        ("no column of users", "--files '{user_id}.csv'"),
    ),
    "trips of taxis": Refused(
        seen(
            "VendorID,tpep_pickup_datetime,tpep_dropoff_datetime,PULocationID,DOLocationID",
            f"1,{AT}30,{AT}40,140,236",
        ),
        ("these are trips", "mixsafe links"),
    ),
    "trips of bicycles": Refused(
        seen(
            "ride_id,rideable_type,started_at,ended_at,start_lat,start_lng,end_lat,end_lng",
            f"A1,electric_bike,{AT}30,{AT}40,40.1,-73.9,40.2,-73.8",
        ),
        ("these are trips", "mixsafe links"),
    ),
    "trips of vehicles in a zone": Refused(
        seen(
            "vehicle_id,start_time,end_time,start_lat,start_lon,end_lat,end_lon,zone",
            f"v,{AT}30,{AT}40,40.1,-73.9,40.2,-73.8,north",
        ),
        ("these are trips", "mixsafe links"),
    ),
    "locations that are names": Refused(
        seen("user_id,time,location", f"a,{BOTH[0]},Café", f"b,{BOTH[1]},Bar"),
        ("'Café' is not a point", "--column reg_id=location"),
        ("--column", "reg_id=location"),
    ),
    "legs of trips": Refused(
        seen(
            "id;user_id;started_at;finished_at;geom",
            f"0;a;{AT}30;{AT}40;LINESTRING (8.1 47.1, 8.2 47.2)",
        ),
        ("is not a point", "a row per fix"),
    ),
    "calls with a start and a duration": Refused(
        seen("caller id,start time,duration,cell id", f"1,{BOTH[0]},60,7", f"2,{BOTH[1]},60,7"),
        ("no column of times", "--column time='start time' if a row is one moment"),
        ("--column", "time=start time"),
    ),
    "a stay that ends before it starts": Refused(
        seen(
            "user_id,place,started_at,finished_at",
            f"a,home,{AT}30,{AT}40",
            f"b,home,{AT}30,{AT}10",
        ),
        ("line 3, column 'finished_at'", "before it starts", "--skip-bad"),
        ("--skip-bad", "--most-bad", "1"),
    ),
    "a stay without an end": Refused(
        seen("user_id,place,started_at,finished_at", f"a,home,{AT}30,{AT}40", f"b,home,{AT}30,"),
        ("line 3, column 'finished_at'", "--skip-bad"),
        ("--skip-bad", "--most-bad", "1"),
    ),
    "stays of a century": Refused(
        seen("user_id,place,started_at,finished_at", "a,home,1970-01-02,2069-01-01"),
        ("52,068,961 fixes, one every 60 s", "--time-step"),
        ("--time-step", "3600"),
    ),
    "starts and ends of two zones": Refused(
        seen(
            "user_id,place,started_at,finished_at",
            "a,home,2024-03-01T08:15:30+01:00,2024-03-01T09:15:40+02:00",
        ),
        ("starts are of the zone +01:00", "--tz"),
        ("--tz", "Europe/Berlin"),
    ),
    "the day or the month of stays": Refused(
        seen("user_id,place,started_at,finished_at", "a,home,01/02/2024 08:00,01/02/2024 08:10"),
        ("could have the day or the month first", "--day-first or --month-first"),
        ("--day-first",),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_says_too_little_is_refused_with_what_helps(name, tmp_path):
    """A refusal names the file, and options that exist; with them, the file is read."""
    case = REFUSED[name]
    path = written(tmp_path, case)
    with pytest.raises(InputError) as error:
        mixsafe.load(path)
    message = str(error.value)
    for part in ("file.csv", *case.said):
        assert part in message
    if case.options:
        found = CliRunner().invoke(app, ["zones", str(path), *case.options])
        assert found.exit_code == 0, found.output
