"""Operators for Data-Juicer that turn scientific papers into verified data about their figures.

Importing this package imports neither Data-Juicer nor Ray: Data-Juicer itself imports
`data_juicer_ext.ops` through the entry point group `data_juicer.ops`.
"""

__version__ = "0.1.0"
