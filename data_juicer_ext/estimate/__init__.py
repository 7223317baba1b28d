"""What a recipe will take and give, told before money is spent: rows, calls, tokens and US dollars of each step."""
