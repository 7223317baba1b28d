"""The code blocks of the Markdown pages, and a place where they run as a reader would run them."""
