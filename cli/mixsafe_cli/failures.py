"""Errors as one line on standard error, and their exit status."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any, NoReturn, TextIO

import typer
from typer.core import TyperGroup

from mixsafe.errors import InputError, InputNote, MixsafeError, printable
from mixsafe.io.files.content import same_files
from mixsafe.model.answer.verdict import Verdict
from mixsafe_cli.configuration import at_fault, with_config, with_stdout
from mixsafe_cli.progress import VERBOSE, watching
from mixsafe_cli.signals import listening
from mixsafe_cli.standard_streams import discard, escape_unwritable, named

EXIT_STATUS = {
    Verdict.UNSAFE: 1,
    Verdict.UNDECIDED: 3,
    Verdict.WEAK_PASS: 4,
    Verdict.SAFE: 0,
}
"""Exit status of deciding commands by verdict, the worst first."""


def status_of(verdicts: Iterable[Verdict]) -> int:
    """Exit status of the worst of these verdicts."""
    given = {*verdicts}
    return next((status for verdict, status in EXIT_STATUS.items() if verdict in given), 0)


BAD_INPUT = 2
INTERRUPTED = 130
BROKEN_PIPE = 141


class OneLineErrors(TyperGroup):
    """The ``mixsafe`` command: an error is one line, unless ``--debug`` is given."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = "mixsafe",
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Run, and exit with the status of the command.

        ``--debug``, ``--verbose``, ``--spreadsheet`` and ``--config`` may stand anywhere.
        """
        escape_unwritable()
        given = list(sys.argv[1:] if args is None else args)
        with listening() as listener:
            status = self._status(given, prog_name, complete_var, extra)
        if status == INTERRUPTED:
            print(f"mixsafe: {listener.reason}; nothing half done was written", file=sys.stderr)  # noqa: T201
            status = listener.status or INTERRUPTED
        sys.exit(status if isinstance(status, int) else 0)

    def _status(
        self,
        given: list[str],
        prog_name: str | None,
        complete_var: str | None,
        extra: dict[str, Any],
    ) -> object:
        """Run, and return the status."""
        self.debug = "--debug" in given
        verbose = VERBOSE in given
        self.spreadsheet = "--spreadsheet" in given
        given = [w for w in given if w not in ("--debug", "--spreadsheet", VERBOSE)]
        self.given = given
        try:
            given = with_stdout(with_config(given))
            extra.setdefault(
                "obj", tuple(given)
            )  # the words, for results that record their command line
            quiet = bool({"--quiet", "-q"} & set(given))
            with _first_note_only(quiet=quiet), watching(verbose) as took:
                status: object = super().main(
                    given, prog_name, complete_var, standalone_mode=False, **extra
                )
            for line in took.lines() if took else ():
                print(line, file=sys.stderr)  # noqa: T201
            sys.stdout.flush()
        except Exception as error:  # noqa: BLE001 -- the last handler
            status = self.explain(error)
        except SystemExit as leave:
            # Rich and click exit with status 1 when the reader has closed the pipe; click exits
            # with 0 after it has printed shell completions.
            status = BROKEN_PIPE if leave.code == 1 else leave.code
        except KeyboardInterrupt:  # before the command has begun
            status = INTERRUPTED
        return status

    def invoke(self, ctx: Any) -> object:  # noqa: ANN401 -- of whichever click typer is made of
        """Run the command; explain its error."""
        try:
            with self._csv_dialect(), same_files():
                return super().invoke(ctx)
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:  # noqa: BLE001 -- each error becomes one line
            raise typer.Exit(self.explain(error)) from None

    def _csv_dialect(self) -> AbstractContextManager[None]:
        """Write CSV for spreadsheets under ``--spreadsheet``; import the writer only then."""
        if not self.spreadsheet:
            return nullcontext()
        from mixsafe.io.files.writing import for_spreadsheets

        return for_spreadsheets()

    def explain(self, error: Exception) -> int:
        """Write the error as one line, and return the exit status."""
        if type(error).__name__ == "NoArgsIsHelpError":  # the help has been printed
            return 0
        if isinstance(error, typer.Abort):  # how older versions of typer say Control-C
            return INTERRUPTED
        if isinstance(error, BrokenPipeError):
            discard(sys.stdout)
            return BROKEN_PIPE
        if self.debug:
            traceback.print_exception(error)
        else:
            print(f"mixsafe: {named(self._placed(error))}", file=sys.stderr)  # noqa: T201
        return BAD_INPUT

    def _placed(self, error: Exception) -> str:
        """The error as one line, with the file of ``--config`` if that is at fault."""
        line = one_line(error)
        file = None
        if getattr(error, "file", None) is None and hasattr(self, "given"):
            with suppress(InputError):  # the file itself may be invalid
                file = at_fault(self.given, line)
        return line if file is None else f"{file}: {line}"


@contextmanager
def _first_note_only(*, quiet: bool) -> Iterator[None]:
    """Print the first note about an input, as one line; notes of similar files repeat it."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", InputNote)
        show, is_noted = warnings.showwarning, [quiet]

        def say(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not issubclass(category, InputNote):
                show(message, category, filename, lineno, file, line)
            elif not is_noted[0]:
                is_noted[0] = True
                print(f"mixsafe: {message}", file=sys.stderr)  # noqa: T201

        warnings.showwarning = say
        yield


def one_line(error: Exception) -> str:
    """The error message for people, without a line break."""
    if isinstance(error, MixsafeError):
        text = str(error)
    elif hasattr(error, "format_message"):  # a usage error, of whichever click typer is made of
        text = f"{error.format_message()} {_way_to_help(error)}"
    elif isinstance(error, MemoryError):
        text = "out of memory; take fewer users (--users), fewer days (--days) or a larger machine"
    elif isinstance(error, OSError):
        text = f"{error.filename or 'input or output'}: {error.strerror or error}"
    else:
        text = (
            f"this is a bug, please report it: {type(error).__name__}: {error}"
            " (--debug shows where)"
        )
    return printable(" ".join(text.split()))


def _way_to_help(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    return f"(see '{context.command_path} --help')" if context is not None else ""
