"""Curation of a paper's figures in five stages; a module each, and `curate` runs them (SciFigQual, A.3)."""
