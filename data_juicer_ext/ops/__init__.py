"""Which operators can a recipe list? Data-Juicer imports this package through its entry point, which registers them."""

from data_juicer_ext.ops.host import host_log, ray_joining, ray_reading, ray_workers, torch_stand_in

torch_stand_in.install()
host_log.install()
ray_workers.install()
ray_reading.install()
ray_joining.install()

from data_juicer_ext.ops import filter, mapper  # noqa: E402

__all__ = ["filter", "mapper"]
