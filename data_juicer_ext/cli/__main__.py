"""`python -m data_juicer_ext.cli`."""

import sys

from data_juicer_ext.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
