"""Strategies: how a computation is spread over replicas. Here there is one.

What the documents say of strategies holds for one replica: ``run`` calls a function once,
reductions over replicas give the value itself, and a dataset that is distributed is that dataset.
Strategies of several replicas, of workers and of other hardware say that they are not there when
they are made.
"""
