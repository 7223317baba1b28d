"""How are answers kept in files that are only added to, by many processes and on object storage?"""
