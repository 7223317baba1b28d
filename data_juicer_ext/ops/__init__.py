"""Which operators can a recipe list? Data-Juicer imports this package through its entry point, which registers them."""

# First of all: while it is imported Data-Juicer imports the operators of other packages, which stand on modules of this
# one. Were one of these to import it, they would meet that one half imported, and be left out with a warning.
import data_juicer.ops  # noqa: F401

from data_juicer_ext.ops.host import host_log, ray_joining, ray_reading, ray_workers, torch_stand_in

torch_stand_in.install()
host_log.install()
ray_workers.install()
ray_reading.install()
ray_joining.install()

from data_juicer_ext.ops import filter, mapper  # noqa: E402

__all__ = ["filter", "mapper"]
