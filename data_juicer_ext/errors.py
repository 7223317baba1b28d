"""The base of all errors of this package: commands show these as one line, and any other with its traceback."""


class DjExtError(Exception):
    """Something that a user can put right, or a finding about a file; the message says what is wrong."""


class UsageError(DjExtError, ValueError):
    """An option, a parameter or an input that can't be used; the message says which, and what is allowed."""
