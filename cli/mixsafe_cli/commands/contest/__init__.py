"""``mixsafe contest``: its commands, on the organizers' own files."""

from mixsafe_cli.on_demand import group

app = group(
    __name__,
    "anonymize attack run utility tournament tournament_check score",
    help="Run a contest: anonymize, attack, score.",
)
