"""How is a recipe run over a large dataset, shard by shard?"""
