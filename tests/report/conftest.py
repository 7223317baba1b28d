"""The scripted models and the pipeline of the operator tests."""

from tests.ops.conftest import models, papers, process, run_dir, server

__all__ = ["models", "papers", "process", "run_dir", "server"]
