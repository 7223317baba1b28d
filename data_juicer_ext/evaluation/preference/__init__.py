"""Does a judge of generated diagrams prefer what people prefer (SciDiag)?"""
