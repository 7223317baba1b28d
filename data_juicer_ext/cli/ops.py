"""`dj-ext ops`: the registered operators, as lines or as the whole reference."""

import argparse

from data_juicer_ext.cli.output import log_warnings_only


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    ops = commands.add_parser("ops", help="the registered operators, a line each")
    ops.add_argument("--markdown", action="store_true", help="the whole reference, with every parameter")
    ops.set_defaults(run=_ops)


def _ops(arguments: argparse.Namespace) -> int:
    log_warnings_only()
    from data_juicer_ext.ops.recipe.operator_reference import listing, reference

    print(reference().rstrip() if arguments.markdown else listing())
    return 0
