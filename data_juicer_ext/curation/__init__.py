"""Which of a paper's figures are usable? Five stages, one module each (SciFigQual, A.3)."""
