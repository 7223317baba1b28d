"""What does `dj-ext new-operator` write?"""
