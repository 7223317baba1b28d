"""Which figures stand in the live text, with which captions, labels, panels, numbers and image files?"""
