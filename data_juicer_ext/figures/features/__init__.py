"""What can be measured of a figure: its pixels, and by OCR its text (SciFigQual, protocol sidecar)?"""
