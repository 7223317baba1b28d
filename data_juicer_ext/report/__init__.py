"""What did a run do: its funnel, its refusals, its cost and the pairs themselves?"""
