"""Accuracy of models on a finished set of multiple-choice questions (VeriSciQA appendix G, SIQA-U)."""
