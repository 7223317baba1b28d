"""What is said about finished figures and questions: their classes, their labels, and which images go together.

Pure functions and tables: classes of figures, questions and images (`figure_types`, `question_types`,
`image_categories`) and how an answer names one (`class_answers`); what can be asked (`questions`) and the label that
several models give it (`label_votes`); figure rows of plain images (`image_rows`); balanced samples (`sampling`) that
show no image twice (`glance`, `near_hashes`, `overlap`).
"""
