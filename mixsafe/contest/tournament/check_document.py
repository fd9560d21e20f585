"""What a check of a tournament says: that the judge did what seed, salt and settings say."""

from __future__ import annotations

from mixsafe.documents.document import Document, Fact, Text
from mixsafe.model.answer.wording import plural

MEANING = (
    "The judge cannot have chosen seed and settings after releases were handed in. From them,"
    " the same data and what teams handed in, mixsafe makes the same releases, pseudonyms and"
    " scores."
)

NOT_SHOWN = (
    "Not shown: that the judge told nobody the seed, and that what is in the teams' folders is what"
    " they handed in. Each team compares its own."
)


def check_document(commitment: str, *, own: bool, files: int, challenges: list[str]) -> Document:
    """The document of a tournament that was checked.

    Parameters
    ----------
    commitment
        SHA-256 of what the judge kept.
    own
        Whether it is from whoever checks; otherwise from the tournament's folder.
    files
        Compared with those of the replay.
    challenges
        Names of those that were held again.
    """
    source = "you" if own else "the folder: compare it with what you got at first"
    return Document(
        title="A tournament, checked",
        word="Checked",
        tone="safe",
        sentence="The judge did what the commitment says.",
        meaning=MEANING,
        facts=(
            Fact("Commitment", commitment),
            Fact("Given by", source),
            Fact("Held again", f"{', '.join(challenges)}: {plural(files, 'file', 'files')} alike"),
        ),
        parts=(Text("Not shown", (NOT_SHOWN,)),),
    )
