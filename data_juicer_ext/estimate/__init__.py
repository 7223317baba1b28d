"""What will a recipe take and give: rows, calls, tokens and US dollars of each step, before money is spent?"""
