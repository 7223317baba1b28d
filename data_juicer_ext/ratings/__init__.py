"""What did people say about rows?"""
