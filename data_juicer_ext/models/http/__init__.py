"""How does one request go over the wire, how is its answer read, and is it tried again?"""
