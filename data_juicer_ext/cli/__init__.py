"""What can be asked for on the command line? One file per command of `dj-ext`."""
