"""What can be done with a figure's file: draw, crop, prepare for a model, read and compare it?"""
