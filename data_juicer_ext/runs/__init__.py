"""What does a run leave in its run folder, and how does it go on from that?"""
