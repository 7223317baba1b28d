"""PDF papers: pages, figure boxes, captions and the paragraphs that cite them."""
