"""Papers as archives and catalogues hand them out, made into paper rows."""
