"""What a run did, for people: the funnel, the files, and the pairs themselves."""
