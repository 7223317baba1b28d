"""What are scientific images asked about, and how are they rated (SIQA)?"""
