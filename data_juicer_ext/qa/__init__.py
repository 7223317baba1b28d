"""Claims, multiple-choice questions, and what a model's answer to one means.

Pure functions over text: parsers of model answers (`claims`, `mcq`, `letters`, `json_answer`), the
verdicts that follow from them (`verdicts`, `votes`), the order in which options are shown
(`permute`) and the names of arXiv categories (`domains`).
"""
