"""`dj-ext evaluate`: answers and scores against gold and people; a table on screen, JSON and CSV on disk."""

import argparse

from data_juicer_ext.cli.evaluate import accuracy, agreement, preference, quality, siqa, stability


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command with a part for each kind of answer or score."""
    parts = commands.add_parser("evaluate", help="compare answers and scores with gold and with people's")
    added = parts.add_subparsers(dest="part", required=True)
    for part in (quality, accuracy, siqa, preference, stability, agreement):
        part.add_to(added)
