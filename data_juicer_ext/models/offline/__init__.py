"""The embedded offline model: a rule-based baseline that needs no network and no key."""

from data_juicer_ext.models.offline.model import OfflineModel

__all__ = ["OfflineModel"]
