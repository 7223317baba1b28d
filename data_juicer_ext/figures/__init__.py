"""Figures as images: prepared for models, read (OCR, features) and curated."""
