"""Whether all workers see the folder that they are to share: by files that are written and read."""

from __future__ import annotations

import secrets

from distributed import Client

from mixsafe.errors import InputError
from mixsafe.machinery.cluster.shared_folder import SharedFolder, folder_at


def check_sighted(client: Client, folder: SharedFolder, *, named: bool) -> None:
    """Refuse a folder that a worker does not see, or may not write to.

    Parameters
    ----------
    client, folder
        The workers, and their shared folder.
    named
        Whether the user named the folder.

    Raises
    ------
    InputError
        Names a worker that reads something else there, or nothing, or cannot write.
    """
    name, word = f"token-{secrets.token_hex(8)}", secrets.token_hex(16)
    folder.write(name, [word.encode()])
    answers: list[str] = []
    try:
        found = client.run(read_and_answer, folder.place, name)
        for worker, (seen, why) in found.items():
            answers.append(why)
            if seen != word or folder.read(f"{name}-{why}") != word.encode():
                raise InputError(
                    f"worker {worker} does not see what this program writes there"
                    if seen is None or seen != word
                    else f"worker {worker} cannot write there",
                    file=folder.place,
                    hint="give a folder that all machines share"
                    if named
                    else "name one that all machines share (--cluster-folder)",
                )
    finally:
        for one in [name, *(f"{name}-{answer}" for answer in answers)]:
            folder.forget(one)


def read_and_answer(place: str, name: str) -> tuple[str | None, str]:
    """In a worker: the content of a file, and the name of the copy that is written of it."""
    answer = secrets.token_hex(8)
    try:
        folder = folder_at(place)
        content = folder.read(name)
        if content is not None:
            folder.write(f"{name}-{answer}", [content])
    except (InputError, OSError):
        return None, answer
    return None if content is None else content.decode(), answer
