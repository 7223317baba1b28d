"""Which comparisons does `dj-ext evaluate` offer? One file per part."""
