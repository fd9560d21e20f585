"""Cabspotting: folder and archive alike; what is odd is counted, what is damaged is refused."""

import gzip
import io
import itertools
import subprocess
import sys
import tarfile

import pytest

from mixsafe.errors import InputError
from mixsafe.io.columns.reading import Reading
from mixsafe.io.files import content
from mixsafe.io.traces.published_sets import read_cabspotting

START = 1211018404
LAT, LON = 37.75, -122.4
FILES = {
    "new_zoe.txt": f"{LAT} {LON} 1 {START + 120}\n{LAT} {LON + 0.01} 1 {START + 60}\n",
    "new_abe.txt": f"{LAT} {LON} 0 {START + 30}\n{LAT + 0.01} {LON} 0 {START}\n",
    "README": "not a cab\n",
    "_cabs.txt": '<cab id="abe" updates="2"/>\n',
}


def in_folder(tmp_path, files):
    folder = tmp_path / "cabs"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())
    return folder


def in_archive(tmp_path, files):
    path = tmp_path / "cabs.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"cabspottingdata/{name}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return path


def line(second, lat=LAT, lon=LON):
    return f"{lat} {lon} 0 {START + second}\n"


def read_cab(tmp_path, lines, **others):
    return read_cabspotting(in_folder(tmp_path, {"new_cab.txt": "".join(lines)} | others))


@pytest.mark.parametrize("pack", [in_folder, in_archive])
def test_cabs_are_sorted_by_name_and_their_fixes_by_time(pack, tmp_path):
    traces = read_cabspotting(pack(tmp_path, FILES))
    assert traces.users.tolist() == ["abe", "zoe"]
    assert traces.user.tolist() == [0, 0, 1, 1]
    assert (traces.time - START).tolist() == [0, 30, 60, 120]
    assert traces.lat.tolist() == [LAT + 0.01, LAT, LAT, LAT]
    assert traces.lon.tolist() == [LON, LON, LON + 0.01, LON]
    assert traces.center == pytest.approx((LAT + 0.0025, LON + 0.0025))
    assert (traces.clock, traces.tz, traces.notes) == ("unix", "America/Los_Angeles", ())


def test_the_zone_of_days_can_be_said(tmp_path):
    assert read_cabspotting(in_folder(tmp_path, FILES), Reading(tz="UTC")).tz == "UTC"


def test_repeated_lines_are_merged_and_counted(tmp_path):
    traces = read_cab(tmp_path, [line(9), line(5), line(5), line(5), line(1)])
    assert (traces.time - START).tolist() == [1, 5, 9]
    assert traces.notes == ("2 repeated rows merged",)


def test_of_several_fixes_in_a_second_the_northernmost_counts_whatever_their_order(tmp_path):
    lines = [line(9), line(5, LAT + 0.02), line(5, LAT + 0.01), line(1)]
    for number, shuffled in enumerate(itertools.permutations(lines)):
        (tmp_path / str(number)).mkdir()
        traces = read_cab(tmp_path / str(number), list(shuffled))
        assert traces.lat.tolist() == [LAT, LAT + 0.01, LAT + 0.02, LAT]
        assert "1 fix has the same user and time as another one elsewhere" in traces.notes[-1]


def test_times_that_are_no_unix_seconds_of_our_time_are_refused_with_their_line(tmp_path):
    with pytest.raises(InputError, match="line 2, column 'unix_time': 100 is not a Unix time"):
        read_cab(tmp_path, [line(9), f"{LAT} -122.4 0 100"])


def test_lines_out_of_order_are_sorted(tmp_path):
    traces = read_cab(tmp_path, [line(9), line(1), line(5), line(0)])
    assert (traces.time - START).tolist() == [0, 1, 5, 9]


def test_a_file_that_begins_with_its_oldest_fix_is_in_order_too(tmp_path):
    traces = read_cab(tmp_path, [line(1), line(5, LAT + 0.01), line(5, LAT + 0.02), line(9)])
    assert (traces.time - START).tolist() == [1, 5, 5, 9]
    assert traces.lat.tolist() == [LAT, LAT + 0.01, LAT + 0.02, LAT]


@pytest.mark.parametrize("odd", ["50.3 -115.6", "nan -122.4", "0 0", "37.75 -121.0", "-37.75 57.6"])
def test_absurd_fixes_are_dropped_and_counted(odd, tmp_path):
    lines = [line(9), f"{odd} 0 {START + 5}\n", line(2), line(1)]
    traces = read_cab(tmp_path, lines)
    assert (traces.time - START).tolist() == [1, 2, 9]
    assert traces.center == pytest.approx((LAT, LON))
    outlier = "1 outliers of 1 cabs dropped: over 100 km from the median"
    lost = "1 row skipped: no position (new_cab.txt, line 2 (cab))"
    assert traces.notes == (lost if odd in ("nan -122.4", "0 0") else outlier,)


def test_a_cab_that_is_lost_all_the_time_does_not_make_the_others_absurd(tmp_path):
    for name in ("new_a.txt", "new_z.txt"):
        folder = tmp_path / name
        folder.mkdir()
        traces = read_cab(folder, [line(9), line(1)], **{name: f"0 0 0 {START}\n"})
        assert (traces.time - START).tolist() == [1, 9]


def test_a_long_ride_is_not_absurd(tmp_path):
    traces = read_cab(tmp_path, [line(9), line(5, LAT + 0.7), line(1)])
    assert (len(traces.time), traces.notes) == (3, ())


def test_a_cab_without_a_valid_fix_stays_a_user(tmp_path):
    files = FILES | {"new_bea.txt": "", "new_lost.txt": f"0 0 0 {START}\n"}
    traces = read_cabspotting(in_folder(tmp_path, files))
    assert traces.users.tolist() == ["abe", "bea", "lost", "zoe"]
    assert traces.user.tolist() == [0, 0, 3, 3]
    assert traces.notes[-1] == "2 cabs have no valid fix and are in no mix zone"


def test_crlf_and_blank_lines_are_no_matter(tmp_path):
    traces = read_cab(tmp_path, [line(9).replace("\n", "\r\n"), "\r\n", line(1).strip()])
    assert (traces.time - START).tolist() == [1, 9]


BAD = {
    "too few fields": (line(9) + "37.75 -122.4 0\n", 2, None, "3 fields instead of 4"),
    "two blanks": (line(9) + "37.75  -122.4 0 5\n", 2, None, "5 fields instead of 4"),
    "commas": ("37.75,-122.4,0,5\n", 1, "unix_time", "5 is not a Unix time"),
    "a word": (line(9) + "\n" + "37.75 west 0 5\n", 3, "longitude", "'west' is not a number"),
    "a broken time": (line(9) + "37.75 -122.4 0 5.5.5\n", 2, "unix_time", "'5.5.5'"),
    "a binary file": ("\0\1\2\3", None, None, "this is a binary file, not text"),
    "off the globe": (line(9) + line(5, 95.0), 2, "latitude", "95.0 is not within -90 to 90"),
}


@pytest.mark.parametrize("pack", [in_folder, in_archive])
@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_named_with_its_file(name, pack, tmp_path):
    content, number, column, says = BAD[name]
    path = pack(tmp_path, FILES | {"new_bad.txt": content})
    with pytest.raises(InputError, match=says) as caught:
        read_cabspotting(path)
    assert caught.value.file.startswith(str(path))
    assert caught.value.file.endswith("new_bad.txt")
    assert (caught.value.line, caught.value.column) == (number, column)


def long_archive(tmp_path):
    files = {
        f"new_cab{number}.txt": "".join(
            line(second, LAT + (second * 7919 % 1000) / 10_000) for second in range(2000, 0, -1)
        )
        for number in range(3)
    }
    return in_archive(tmp_path, files)


@pytest.mark.parametrize("share", [0.02, 0.4, 0.7, 0.99])
def test_an_archive_that_is_cut_off_is_refused(share, tmp_path):
    path = long_archive(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(InputError, match="truncated or damaged"):
        read_cabspotting(path)


def test_an_archive_without_its_check_sum_is_refused(tmp_path):
    path = long_archive(tmp_path)
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(InputError, match="truncated or damaged"):
        read_cabspotting(path)


def test_an_archive_with_a_flipped_bit_is_refused(tmp_path):
    path = long_archive(tmp_path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x10
    path.write_bytes(content)
    with pytest.raises(InputError):
        read_cabspotting(path)


def test_an_archive_without_cabs_is_refused(tmp_path):
    with pytest.raises(InputError, match="no files new_"):
        read_cabspotting(in_archive(tmp_path, {"README": "nothing here"}))


def test_an_archive_that_unpacks_to_more_than_traces_do_is_refused_before_it_is(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(content, "ALWAYS", 1 << 22)
    path = in_archive(tmp_path, {"new_abe.txt": "0" * (2 * content.ALWAYS)})
    with pytest.raises(InputError, match="it unpacks to more than 50 times its size"):
        read_cabspotting(path)


def special(name, **what):
    member = tarfile.TarInfo(f"cabspottingdata/{name}")
    for key, value in what.items():
        setattr(member, key, value)
    return member


@pytest.mark.parametrize(
    ("member", "said"),
    [
        (special("new_bob.txt", type=tarfile.SYMTYPE, linkname="new_abe.txt"), "a link to new_abe"),
        (special("new_bob.txt", type=tarfile.LNKTYPE, linkname="/etc/x"), "a link to /etc/x"),
        (special("new_bob.txt", type=tarfile.FIFOTYPE), "a folder, a device or a sparse file"),
    ],
)
def test_a_cab_in_an_archive_that_is_no_file_is_named_and_what_it_is(tmp_path, member, said):
    path = tmp_path / "cabs.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(member)
    with pytest.raises(InputError, match=f"new_bob.txt: this is {said}"):
        read_cabspotting(path)


def test_a_file_of_an_archive_that_says_it_is_a_large_hole_is_not_read(tmp_path):
    """As GNU tar writes it: no byte is stored, and a terabyte of zeros would come out."""
    member = special("new_bob.txt", type=tarfile.GNUTYPE_SPARSE)
    block = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    block[483:495] = b"%011o\0" % (1 << 32)
    block[148:156] = b"%06o\0 " % sum(block[:148] + b" " * 8 + block[156:])
    path = tmp_path / "cabs.tar.gz"
    path.write_bytes(gzip.compress(bytes(block) + bytes(1024)))
    with pytest.raises(InputError, match="a sparse file"):
        read_cabspotting(path)


def test_cabs_without_a_single_fix_are_refused(tmp_path):
    with pytest.raises(InputError, match="no cab has a single valid fix"):
        read_cabspotting(in_folder(tmp_path, {"new_abe.txt": ""}))


def test_a_cab_that_is_there_twice_is_refused(tmp_path):
    path = in_archive(tmp_path, FILES | {"again/new_abe.txt": line(1)})
    with pytest.raises(InputError, match="a second file of cab abe"):
        read_cabspotting(path)


def test_the_published_archive_has_what_its_authors_say(published):
    traces = read_cabspotting(published("cabspotting/cabspottingdata.tar.gz"))
    assert len(traces.users) == 536
    assert len(traces.time) == 11_219_955 - 73
    assert traces.users[0] == "abboip"
    assert traces.notes == ("73 outliers of 34 cabs dropped: over 100 km from the median",)


def test_an_archive_is_read_without_pandas_whose_import_takes_longer(tmp_path):
    path = in_archive(tmp_path, FILES)
    program = (
        "import sys\nfrom mixsafe.io.sources import load\n"
        f"load({str(path)!r})\nprint('pandas' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ran.stdout.strip(), ran.stderr) == ("False", "")
