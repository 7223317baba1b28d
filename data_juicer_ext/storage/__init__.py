"""How are files read and written at paths and at addresses of object storage alike?"""
