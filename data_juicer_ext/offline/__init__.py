"""What does the embedded offline model answer? A rule-based baseline that needs no network and no key."""

from data_juicer_ext.offline.model import OfflineModel

__all__ = ["OfflineModel"]
