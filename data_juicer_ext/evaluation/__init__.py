"""How well do answers and scores agree with gold and with people?"""
