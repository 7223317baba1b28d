"""What the tests of runs in shards share."""

from tests.runner.test_run import given

__all__ = ["given"]
