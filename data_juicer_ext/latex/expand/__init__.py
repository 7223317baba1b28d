"""What is the live text of a paper, once inputs, comments, conditionals and macros are done?"""
