"""Which operators make, describe or score rows? One file per operator."""

from data_juicer_ext.ops.base.registration import import_operators

import_operators(__name__)
