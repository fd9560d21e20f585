"""Draw ``architecture.svg``: the folders of the house, and who imports whom.

Run it when a test says that the picture is old::

    python docs/develop/architecture_picture.py

An arrow that follows from other arrows is left out. Folders stand above all that they import.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[2]
PICTURE = Path(__file__).with_name("architecture.svg")
COMMAND_LINE = "mixsafe_cli"
WIDTH, HEIGHT = 172, 102
"""Of a box, pixels."""
BEND, GAP, RISE = 18, 26, 156
"""Room for an arrow that passes a level, space between neighbours, and from level to level."""

Arrow = tuple[str, str]

STYLE = """
  text { font-family: system-ui, sans-serif; fill: #1f2430 }
  .name { font-size: 17px; font-weight: 600 }
  .rooms { font-size: 11.5px; fill: #4d5566 }
  rect { fill: #eef1fb; stroke: #5a6bb5; stroke-width: 1.2 }
  path { fill: none; stroke: #7d879c; stroke-width: 1.4 }
  marker path { fill: #7d879c; stroke: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6e9f2 }
    .rooms { fill: #b4bccd }
    rect { fill: #2a3150; stroke: #93a2e6 }
    path { stroke: #98a2b8 }
    marker path { fill: #98a2b8 }
  }
"""


class Place(NamedTuple):
    """A box, or a bend of an arrow that passes a level."""

    level: int
    name: str
    arrow: Arrow | None = None

    @property
    def width(self) -> int:
        """Room that it needs, pixels."""
        return WIDTH if self.arrow is None else BEND


def folders(root: Path = ROOT) -> dict[str, tuple[str, ...]]:
    """Each folder of the library, and the command line, with its rooms: the folders in it."""
    found = {path.parent for path in (root / "mixsafe").glob("*/__init__.py")}
    found.add(root / "cli" / COMMAND_LINE)
    return {
        folder.name: tuple(sorted(path.parent.name for path in folder.glob("*/__init__.py")))
        for folder in sorted(found)
    }


def imports(root: Path = ROOT) -> set[Arrow]:
    """Who imports whom, folder by folder; imports in functions and for types count, too."""
    known = folders(root)
    arrows = set()
    for name in known:
        folder = root / "cli" / name if name == COMMAND_LINE else root / "mixsafe" / name
        for path in folder.rglob("*.py"):
            for module in _imported(ast.parse(path.read_text(encoding="utf-8"))):
                package, _, rest = module.partition(".")
                other = rest.partition(".")[0]
                if package == "mixsafe" and other in known and other != name:
                    arrows.add((name, other))
    return arrows


def _imported(tree: ast.Module) -> Iterator[str]:
    """Modules that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{name.name}" for name in node.names)


def reduced(arrows: set[Arrow]) -> list[Arrow]:
    """The arrows that do not follow from others."""

    def beyond(folder: str, without: Arrow) -> set[str]:
        seen: set[str] = set()
        ahead = [folder]
        while ahead:
            here = ahead.pop()
            new = {b for a, b in arrows if a == here and (a, b) != without} - seen
            seen |= new
            ahead += new
        return seen

    return sorted(arrow for arrow in arrows if arrow[1] not in beyond(arrow[0], arrow))


def levels(names: Iterable[str], arrows: list[Arrow]) -> dict[str, int]:
    """The level of each folder: above all that it imports, the lowest is 0."""
    found: dict[str, int] = {}

    def level(name: str) -> int:
        if name not in found:
            found[name] = max((1 + level(b) for a, b in arrows if a == name), default=0)
        return found[name]

    return {name: level(name) for name in names}


def arranged(names: Iterable[str], arrows: list[Arrow]) -> dict[Place, float]:
    """The middle of each box and bend from left to right, pixels."""
    high = levels(names, arrows)
    rows: list[list[Place]] = [[] for _ in range(max(high.values()) + 1)]
    for name, level in high.items():
        rows[level].append(Place(level, name))
    joined: dict[Place, list[Place]] = {}
    for arrow in arrows:
        chain = _chain(arrow, high)
        for one in chain[1:-1]:
            rows[one.level].append(one)
        for upper, lower in pairwise(chain):
            joined.setdefault(upper, []).append(lower)
            joined.setdefault(lower, []).append(upper)
    x = {one: float(at) for row in rows for at, one in enumerate(row)}
    for sweep in range(40):
        for row in rows if sweep % 2 else reversed(rows):
            wish = {}
            for one in row:
                step = -1 if sweep % 2 else 1
                there = [
                    x[other] for other in joined.get(one, ()) if other.level == one.level + step
                ]
                wish[one] = sum(there) / len(there) if there else x[one]
            row.sort(key=lambda one: (wish[one], one.name, one.arrow or ()))
            x |= _apart(row, wish)
    left = min(middle - one.width / 2 for one, middle in x.items())
    return {one: middle - left + GAP for one, middle in x.items()}


def _chain(arrow: Arrow, high: dict[str, int]) -> list[Place]:
    """An arrow's boxes, and its bends on the levels between."""
    upper, lower = arrow
    bends = [Place(level, "", arrow) for level in range(high[upper] - 1, high[lower], -1)]
    return [Place(high[upper], upper), *bends, Place(high[lower], lower)]


def _apart(row: list[Place], wish: dict[Place, float]) -> dict[Place, float]:
    """Middles near those that are wished, in order, and far enough from each other."""
    x: dict[Place, float] = {}
    edge = float("-inf")
    for one in row:
        x[one] = max(wish[one], edge + one.width / 2)
        edge = x[one] + one.width / 2 + GAP
    shift = sum(wish[one] - x[one] for one in row) / len(row)
    return {one: middle + shift for one, middle in x.items()}


def picture(root: Path = ROOT) -> str:
    """The picture, as SVG; the same for the same house."""
    rooms, arrows = folders(root), reduced(imports(root))
    x = arranged(rooms, arrows)
    high = levels(rooms, arrows)
    top = max(high.values())
    width = max(middle + one.width / 2 for one, middle in x.items()) + GAP
    height = top * RISE + HEIGHT + 2 * GAP

    def y(level: int) -> float:
        return GAP + (top - level) * RISE

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img">',
        "<title>Folders of mixsafe, and who imports whom</title>",
        f"<style>{STYLE}</style>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8"'
        ' markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>',
    ]
    lines += [_drawn(_chain(arrow, high), arrow, x, y) for arrow in arrows]
    for name, inside in rooms.items():
        lines += _box(name, inside, x[Place(high[name], name)], y(high[name]))
    return "\n".join([*lines, "</svg>", ""])


def _drawn(
    chain: list[Place], arrow: Arrow, x: dict[Place, float], y: Callable[[int], float]
) -> str:
    """An arrow, from the foot of one box to the head of another."""
    path = [f"M{x[chain[0]]:.0f} {y(chain[0].level) + HEIGHT:.0f}"]
    for one, other in pairwise(chain):
        last = other is chain[-1]
        down, up = y(one.level) + HEIGHT, y(other.level) - (2 if last else 0)
        middle = (down + up) / 2
        path.append(
            f"C{x[one]:.0f} {middle:.0f} {x[other]:.0f} {middle:.0f} {x[other]:.0f} {up:.0f}"
        )
        if not last:
            path.append(f"V{up + HEIGHT:.0f}")
    return f'<path id="{"-".join(arrow)}" d="{" ".join(path)}" marker-end="url(#head)"/>'


def _box(name: str, rooms: tuple[str, ...], middle: float, above: float) -> list[str]:
    """A folder with its rooms."""
    words = textwrap.wrap(", ".join(rooms), 28)
    start = above + (30 if words else HEIGHT / 2 + 6)
    return [
        f'<g id="{name}">',
        f'<rect x="{middle - WIDTH / 2:.0f}" y="{above:.0f}" width="{WIDTH}" height="{HEIGHT}"'
        ' rx="7"/>',
        _text("name", middle, start, name),
        *(_text("rooms", middle, start + 18 + 14 * n, line) for n, line in enumerate(words)),
        "</g>",
    ]


def _text(kind: str, x: float, y: float, words: str) -> str:
    """A line of text, centred."""
    return (
        f'<text class="{kind}" x="{x:.0f}" y="{y:.0f}" text-anchor="middle">{escape(words)}</text>'
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
