"""Datasets: pipelines of elements that are computed when they are asked for."""
