"""SIQA: what scientific images are asked about (understanding), and how they are rated (scoring)."""
