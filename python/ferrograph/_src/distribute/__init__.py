"""Strategies: how a computation is spread over replicas. Here there is one.

The documented behaviour of strategies holds for one replica: ``run`` calls a function once,
reductions over replicas return the value itself, and a distributed dataset is the dataset itself.
The constructors of strategies with several replicas, workers or other hardware raise an error.
"""
