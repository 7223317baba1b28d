"""The parts of `dj-ext evaluate`, a module a part: options, files in, a call into `evaluation`, tables out."""
