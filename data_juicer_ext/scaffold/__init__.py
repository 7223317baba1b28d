"""What `dj-ext new-operator` writes: an operator with its prompt, test, recipe and line in the docs."""
