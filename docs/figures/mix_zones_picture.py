"""Draw ``mix_zones.svg``: what a mix zone is, and what mixsafe decides.

Run it when a test says that the picture is old::

    python docs/figures/mix_zones_picture.py

Three tracks are published under pseudonyms. Two of them meet, twice. Whoever was seen under a
pseudonym before may have any of those that were exchanged since.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

PICTURE = Path(__file__).with_name("mix_zones.svg")
WIDTH, HEIGHT = 780, 420
START, END = 172, 756
"""Where tracks begin and end, pixels from the left."""

ROWS = {"a": 108, "b": 184, "c": 260}
"""Height of each published track away from mix zones, pixels from the top."""

ZONES = ((360, "a", "b"), (560, "b", "c"))
"""Where which two tracks meet."""

BEND, RADIUS, STRIP = 76, 32, 350
"""Length of a bend into a mix zone, size of a zone, height of the strip of candidates."""

CANDIDATES = (("a", "1 candidate"), ("ab", "2 candidates"), ("abc", "3 candidates: safe"))
"""Possible pseudonyms of the person, after none, one and both of the mix zones."""

STYLE = """
  text { font-family: system-ui, sans-serif; font-size: 15px; fill: #1d2430 }
  .strong { font-weight: 650 }
  .faint { fill: #4d5566 }
  .letter { font-weight: 650; fill: #fefefe; text-anchor: middle }
  .card { fill: #fefefe; stroke: #d5dae3 }
  .zone { fill: #b3bac5; fill-opacity: 0.45; stroke: #5d6776;
    stroke-width: 1.5; stroke-dasharray: 4 3 }
  .edge { stroke: #5d6776; stroke-width: 1.2; stroke-dasharray: 2 4 }
  .seen { fill: none; stroke: #1d2430; stroke-width: 2.4 }
  .too-few { fill: #f9dcbf }
  .enough { fill: #cfe2f5 }
  .a { stroke: #0072b2; fill: #0072b2 }
  .b { stroke: #b34f00; fill: #b34f00 }
  .c { stroke: #00805c; fill: #00805c }
  .track { fill: none; stroke-width: 4; stroke-linecap: round }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6e9f2 }
    .faint { fill: #b4bccd }
    .letter { fill: #14181f }
    .card { fill: #14181f; stroke: #3a4252 }
    .zone { fill: #5d6776; stroke: #b3bac5 }
    .edge { stroke: #98a2b8 }
    .seen { stroke: #e6e9f2 }
    .too-few { fill: #5c3414 }
    .enough { fill: #1d4163 }
    .a { stroke: #56b4e9; fill: #56b4e9 }
    .b { stroke: #f0975a; fill: #f0975a }
    .c { stroke: #38c79b; fill: #38c79b }
    .track { fill: none }
  }
"""


def picture() -> str:
    """The picture, as SVG."""
    title = "Three published tracks, a sighting, two mix zones, and the candidates of a person"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
            f"<title>{title}</title>",
            f"<style>{STYLE}</style>",
            f'<rect class="card" x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="8"/>',
            *_zones(),
            *_tracks(),
            *_sighting(),
            *_candidates(),
            "</svg>",
            "",
        ]
    )


def _zones() -> Iterator[str]:
    """Mix zones with their words, and where they change the candidates."""
    for x, one, other in ZONES:
        y = _between(one, other)
        yield f'<path class="edge" d="M{x} {y + RADIUS}V{STRIP + 34}"/>'
        yield f'<circle class="zone" cx="{x}" cy="{y}" r="{RADIUS}"/>'
    yield _text(ZONES[0][0] - 60, 36, "Mix zone: two people are in one place at one time", "strong")
    yield _text(ZONES[0][0] - 60, 58, "Nobody sees whether their pseudonyms are exchanged", "faint")
    yield _text(ZONES[1][0] + 48, _between("b", "c") + 5, "Another mix zone", "strong")


def _tracks() -> Iterator[str]:
    """Published tracks, with their pseudonyms before, between and after the mix zones."""
    for name, row in ROWS.items():
        path = [f"M{START} {row}"]
        for x, *met in ZONES:
            if name in met:
                y, half = _between(*met), BEND // 2
                path.append(
                    f"H{x - BEND}C{x - half} {row} {x - half + 12} {y} {x} {y}"
                    f"C{x + half - 12} {y} {x + half} {row} {x + BEND} {row}"
                )
        yield f'<path class="track {name}" d="{"".join([*path, f"H{END}"])}"/>'
        for x in (START + 52, END - 18):
            yield from _pseudonym(name, x, row)
    yield _text(18, ROWS["c"] + 5, "published tracks", "faint")


def _sighting() -> Iterator[str]:
    """Where the adversary saw the person."""
    x, y = START, ROWS["a"]
    yield f'<circle class="seen" cx="{x}" cy="{y}" r="12"/>'
    yield f'<circle class="a" cx="{x}" cy="{y}" r="6"/>'
    yield _text(18, y - 4, "A sighting:", "strong")
    yield _text(18, y + 16, "Ann was here", "faint")


def _candidates() -> Iterator[str]:
    """The strip below: which pseudonyms Ann may have, and how many."""
    edges = [START, *(x for x, *_ in ZONES), END]
    yield _text(18, STRIP + 14, "Ann's pseudonym", "strong")
    yield _text(18, STRIP + 34, "may be", "faint")
    for place, (names, words) in enumerate(CANDIDATES):
        left, right = edges[place], edges[place + 1]
        kind = "enough" if len(names) == len(ROWS) else "too-few"
        yield (
            f'<rect class="{kind}" x="{left}" y="{STRIP - 12}" width="{right - left}" height="34"/>'
        )
        for number, name in enumerate(names):
            yield from _pseudonym(name, left + 22 + 30 * number, STRIP + 5)
        yield _text(left + 8, STRIP + 44, words, "strong" if kind == "enough" else "faint")


def _between(one: str, other: str) -> int:
    """Height at which two tracks meet."""
    return (ROWS[one] + ROWS[other]) // 2


def _pseudonym(name: str, x: int, y: int) -> Iterator[str]:
    """A pseudonym in a disc."""
    yield f'<circle class="{name}" cx="{x}" cy="{y}" r="11"/>'
    yield f'<text class="letter" x="{x}" y="{y + 5}">{name}</text>'


def _text(x: int, y: int, words: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x}" y="{y}">{words}</text>'


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
