"""Which files does a paper bring, whatever it comes as, and which one is its main document?"""
