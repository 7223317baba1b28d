"""What do calls cost, and may another one go out?"""
