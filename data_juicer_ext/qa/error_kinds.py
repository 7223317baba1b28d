"""VeriSciQA's four kinds of wrong questions (sections 2 and 3.3, appendices D and F)."""

INCORRECTLY_GROUNDED = "E1 incorrectly visually grounded"
INTENT_MISALIGNED = "E2 figure-intent misaligned"
NON_VISUAL = "E3 non-visual"
OUTSIDE_KNOWLEDGE = "E4 outside knowledge"

# No filter looks for E2: making the questions from the authors' claims is what keeps it away.
KINDS = (INCORRECTLY_GROUNDED, INTENT_MISALIGNED, NON_VISUAL, OUTSIDE_KNOWLEDGE)
