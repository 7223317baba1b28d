"""What do all operators stand on: their run, their rows, their verdicts, their calls?"""
