"""How do papers as archives and catalogues hand them out become paper rows?"""
