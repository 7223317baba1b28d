"""When may a call go out, within one process?"""
