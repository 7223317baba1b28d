"""What is mended in Data-Juicer and Ray, and what is asked of them?"""
