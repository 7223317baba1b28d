"""The operators. Data-Juicer imports this package through its entry point and so registers them."""

from data_juicer_ext.ops import host_log, torch_stand_in

torch_stand_in.install()
host_log.install()

from data_juicer_ext.ops import filter, mapper  # noqa: E402

__all__ = ["filter", "mapper"]
