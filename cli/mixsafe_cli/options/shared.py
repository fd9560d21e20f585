"""Options that several commands have, each declared once: words, values, constraints."""

from __future__ import annotations

from mixsafe.errors import InputError
from mixsafe.io.formats import FORMATS
from mixsafe.model.answer.gaps import NAMES as GAPS_NAMES
from mixsafe.model.mobility.names import SIMILAR, check_similar
from mixsafe.model.numerals import MOST_SEED
from mixsafe.solver.registry import ENGINES
from mixsafe_cli.options.checks import check_moments, column_names
from mixsafe_cli.options.declaring import (
    Constraint,
    Declared,
    a_file,
    a_k,
    above_zero,
    declare,
    excludes,
    needs,
    not_negative,
    one_among,
    valid,
)
from mixsafe_cli.options.records import offering, one_of

EXCHANGES = ("zones", "none")


def _a_rule(text: str) -> None:
    from mixsafe.model.question.requirement import Rule

    Rule.parse(text)


def _a_schedule(text: str) -> None:
    from mixsafe.extract.exchange.rotation import Schedule

    Schedule.parse(text)


def _a_resolution(cells: str) -> None:
    from mixsafe.geometry.grid import resolution_of

    try:
        resolution_of(cells)
    except InputError as error:
        raise InputError(f"--cells: {error.message}", hint=error.hint) from None


def two_or_more(who: str) -> Constraint:
    """Refuse mix zones of less than two; ``who``: users or tracks."""

    def constraint(option: str, value: int, record: object) -> None:
        if value < 2:
            raise InputError(f"{option} {value}: a mix zone needs two {who} or more")

    return constraint


def _engine(task: str, *names: str) -> Declared:
    """The option that takes an engine for a task."""
    return declare(
        lambda: f"{ENGINES.help(task)}.",
        one_among(lambda: ENGINES.names(task)),
        names=names,
        panel="Solver",
        **one_of(lambda: ENGINES.names(task)),
    )


# The question

K = declare("Candidates a user needs, at least 2.", a_k, panel="Question")
AT = declare(
    "Only these times. Default: all.",
    valid(check_moments),
    needs("k"),
    panel="Question",
    metavar="T1,T2",
)
REQUIREMENTS = declare(
    "Instead of --k: CSV user_id,time_id,k.",
    excludes("k", "at", why="--requirements contains the question"),
    a_file,
    panel="Question",
)
RULE = declare(
    "When a user must be safe. Default: every with --at or --requirements, else some.",
    valid(_a_rule),
    panel="Question",
    **one_of(("every", "some"), "share:P"),
)
DISTINCT_PLACES = declare(
    "The candidates of a user must be at L distinct places at the same time, too; 1 only counts the"
    " places.",
    excludes("certificates", why="--distinct-places: certificates show candidates, and no places"),
    above_zero,
    panel="Question",
    metavar="L",
)
EXHAUSTIVE = declare("List all candidates of every user and time.", panel="Question")

# The solver

ENGINE, AUDIT_ENGINE = _engine("verify"), _engine("audit", "--engine")
TIME_LIMIT = declare("Seconds for the whole run. Default: none.", above_zero, panel="Solver")
WORKERS = declare("Threads and processes; 0: one per core.", not_negative, panel="Solver")
SEED = declare("Seed of random numbers.", not_negative, panel="Data", max=MOST_SEED)

# What an auditor knows

KNOWLEDGE = declare(
    "Sightings: CSV user_id,time_id,reg_id (or lat,lon).",
    excludes("assume", "reference", "draws", why="--knowledge contains the sightings"),
    a_file,
    panel="Adversary",
)
GAPS = declare(
    "Tracks without a fix that may belong to a person who was seen then: none (absent), those that"
    " can get there and back at --max-speed (reachable), or all (anywhere). Default: for each"
    " sighting the strictest reading that contradicts nothing.",
    one_among(lambda: GAPS_NAMES),
    panel="Adversary",
    metavar="READING",
    autocompletion=offering(GAPS_NAMES),
)
EXCHANGE = declare(
    "Pseudonyms are exchanged where tracks meet, or never but by --rotate.",
    one_among(lambda: EXCHANGES),
    panel="Question",
    **one_of(EXCHANGES),
)
SETS_MEET = declare("Equal sets of regions are mix zones, too.", panel="Question")

# The data

FORMAT = declare(
    lambda: f"{FORMATS.help()}. Default: by content.",
    one_among(FORMATS.names),
    panel="Data",
    metavar="NAME",
    autocompletion=offering(FORMATS.names),
)
TZ = declare(
    "Time zone of days, and of times without one, as Asia/Tokyo. Default: the data's.",
    panel="Data",
    metavar="ZONE",
)
SIMILAR_NAMES = declare(
    "What names are that differ only in case, leading zeros or the like: the same name, or"
    " different ones. Default: they are refused.",
    valid(check_similar),
    panel="Data",
    **one_of(SIMILAR),
)
COLUMN = declare(
    "Name of a column, as user_id=driver; may be repeated. Meanings: user_id, time, time_id,"
    " lat (or y), lon (or x), geometry, reg_id (places by number or name).",
    valid(column_names),
    panel="Data",
    metavar="MEANING=NAME",
)
CRS = declare(
    "Reference system of a table's coordinates; metres: a plane without a place on the Earth."
    " Default: the file's, else degrees.",
    panel="Data",
    metavar="EPSG:CODE|metres",
)
KEEP_TOGETHER = declare(
    "Users who are always together are different people. Default: they are one person twice,"
    " such as a phone and a watch, and are merged.",
    panel="Data",
)
KEEP_NULL_ISLAND = declare(
    "Latitude 0, longitude 0 is a place. Default: it stands for no position, and is skipped.",
    panel="Data",
)
SKIP_BAD = declare(
    "Skip rows that cannot be read, and count them. Default: the first one is refused.",
    panel="Data",
)
MOST_BAD = declare(
    "Most rows that --skip-bad may skip: a number or a share. Default: 1%.",
    panel="Data",
    metavar="N|P%",
)
USERS = declare(
    "Random sample of N users.",
    excludes("user_list", why="--users takes a random sample"),
    above_zero,
    panel="Data",
)
START = declare("From this time on: ISO 8601, Unix seconds or time_id.", panel="Data")
END = declare("Before this time.", panel="Data")
DAYS = declare(
    "N times 24 hours from the start.",
    excludes("end", why="--days says where the data end already"),
    above_zero,
    panel="Data",
)

# Mix zones and exchanges

PLACES = declare(
    "Mix zones are these places: GeoJSON or GeoPackage of polygons, or of points with a radius."
    " With --cell-size or --cells, cells elsewhere are mix zones, too.",
    a_file,
    panel="Mix zones",
)
CELL_SIZE = declare("Side of grid cells, metres. Default: 100.", above_zero, panel="Mix zones")
CELLS = declare(
    "H3 cells of resolution N, 0 to 15, instead; 9 is about 0.1 square km.",
    excludes("cell_size", why="--cells says which cells already"),
    valid(_a_resolution),
    panel="Mix zones",
    metavar="h3:N",
)
TIME_STEP = declare("Length of a time step, seconds. Default: 60.", above_zero, panel="Mix zones")
MIN_USERS = declare(
    "Fewest users of a mix zone. Default: 2.", two_or_more("users"), panel="Mix zones"
)
MAX_STEP = declare(
    "The same for the contest's regions: nobody gets further in a step.",
    above_zero,
    panel="Exchanges",
    metavar="REGIONS",
)
ROTATE = declare(
    "All pseudonyms change at these times, too: daily@04:00, weekly@mon04:00, every:14d, every:6h.",
    valid(_a_schedule),
    panel="Exchanges",
    metavar="SCHEDULE",
)
