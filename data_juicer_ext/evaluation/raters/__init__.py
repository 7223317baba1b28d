"""How far do the raters of a review agree with each other (VeriSciQA table 2)?"""
