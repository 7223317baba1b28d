"""How close are scores of scientific images to people's mean opinion scores (SIQA-S)?"""
