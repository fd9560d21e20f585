"""How large the parts of the code are: pure code by folder, and what is unusually long.

    python benchmarks/shape.py [--top 20]

Pure code is every line that is not blank, a comment, a docstring or an import. Nothing here is a
law: a file about one subject may be long. It is a list to look at before and after a change.
"""

from __future__ import annotations

import argparse
import ast
import io
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
ROOTS = ("mixsafe", "cli")

LINES_OF_A_FUNCTION, PARAMETERS, LINES_OF_A_FILE, FILES_OF_A_FOLDER = 50, 7, 500, 15
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
_NO_CODE |= {tokenize.ENCODING, tokenize.ENDMARKER}


class Source(NamedTuple):
    """A file: where it is, its text and its tree."""

    place: str
    text: str
    tree: ast.Module


def sources() -> Iterator[Source]:
    """All files of the library and of the command line."""
    for root in ROOTS:
        for path in sorted((ROOT / root).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            yield Source(path.relative_to(ROOT).as_posix(), text, ast.parse(text))


def pure_lines(source: Source) -> int:
    """Lines of code: no blanks, comments, docstrings or imports."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(source.tree):
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        alone = text and isinstance(node.value.value, str)  # type: ignore[attr-defined]
        if alone or isinstance(node, ast.Import | ast.ImportFrom):
            lines.difference_update(range(node.lineno, (node.end_lineno or 0) + 1))
    return len(lines)


def functions(source: Source) -> Iterator[tuple[str, int, int]]:
    """Name, lines and parameters (the object itself not counted) of each function."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = node.args
            named = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
            lines = (node.end_lineno or 0) - node.lineno + 1
            yield node.name, lines, len(named) - (named[:1] in (["self"], ["cls"]))


def numbers(node: ast.expr) -> int:
    """Numbers above zero that an expression is made of; 0: it is made of anything else, too."""
    if isinstance(node, ast.Constant):
        return int(type(node.value) in (int, float) and node.value > 0)
    if isinstance(node, ast.BinOp):
        return int(bool(numbers(node.left) and numbers(node.right)))
    if isinstance(node, ast.Tuple):
        each = [numbers(one) for one in node.elts]
        return sum(each) if all(each) else 0
    return 0


def constants(source: Source) -> Iterator[tuple[int, str]]:
    """Names that stand for numbers in a file, and how many; not what follows from other names.

    Codes and what formats and definitions say are among them: what a number is, only a reader sees.
    """
    for node in source.tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            names = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if many := numbers(node.value):
                yield many, ast.unparse(names)


def show(title: str, rows: list[tuple[int, str]], top: int) -> None:
    """Print the largest ones of a list."""
    print(f"\n{title}: {len(rows)}")
    for number, name in sorted(rows, reverse=True)[:top]:
        print(f"  {number:6,}  {name}")


def main() -> None:
    """Print the lists."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--top", type=int, default=20, help="Rows of each list.")
    top = parser.parse_args().top
    found = list(sources())
    folders, files, pure = Counter[str](), Counter[str](), 0
    records = classes = 0
    names: dict[str, list[str]] = defaultdict(list)
    for one in found:
        n = pure_lines(one)
        pure += n
        room = "/".join(one.place.split("/")[:2])
        folders[room] += n
        files[one.place.rsplit("/", 1)[0]] += 1
        for node in one.tree.body:
            if isinstance(node, ast.ClassDef):
                classes += 1
                decorated = any("dataclass" in ast.dump(mark) for mark in node.decorator_list)
                tuple_ = any("NamedTuple" in ast.dump(base) for base in node.bases)
                records += decorated or tuple_
                names[node.name].append(one.place)
    print(f"{len(found)} files in {len(files)} folders, {pure:,} lines of pure code,")
    print(f"{classes} classes, {records} of them records")
    show("pure code by folder", [(n, name) for name, n in folders.items()], 100)
    of_functions = [(one.place, *each) for one in found for each in functions(one)]
    long = [
        (n, f"{place}: {name}") for place, name, n, _ in of_functions if n > LINES_OF_A_FUNCTION
    ]
    show(f"functions of more than {LINES_OF_A_FUNCTION} lines", long, top)
    wide = [(n, f"{place}: {name}") for place, name, _, n in of_functions if n > PARAMETERS]
    show(f"functions of more than {PARAMETERS} parameters", wide, top)
    lengths = [(one.text.count("\n"), one.place) for one in found]
    show(
        f"files of more than {LINES_OF_A_FILE} lines",
        [pair for pair in lengths if pair[0] > LINES_OF_A_FILE],
        top,
    )
    of_files = [(one.place, list(constants(one))) for one in found]
    by_room = Counter[str]()
    for place, named in of_files:
        by_room["/".join(place.split("/")[:2])] += sum(n for n, _ in named)
    show("numbers at module level, by folder", [(n, room) for room, n in by_room.items() if n], 100)
    tuned = [
        (sum(n for n, _ in named), f"{place}: {', '.join(name for _, name in named)}")
        for place, named in of_files
        if named
    ]
    show("files with numbers at module level", tuned, top)
    crowded = [(n, name) for name, n in files.items() if n > FILES_OF_A_FOLDER]
    show(f"folders of more than {FILES_OF_A_FOLDER} files", crowded, top)
    twice = [(len(where), f"{name}: {', '.join(where)}") for name, where in names.items()]
    show("classes with one name", [pair for pair in twice if pair[0] > 1], top)


if __name__ == "__main__":
    main()
