"""Input and output of commands: sources, releases, answers, resumed runs."""
