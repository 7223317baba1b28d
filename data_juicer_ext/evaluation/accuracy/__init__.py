"""How often do models answer a finished set of questions right (VeriSciQA appendix G, SIQA-U)?"""
