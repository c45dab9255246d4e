"""Random programs over Python's own objects, eager and traced; see ``run`` for what is compared."""
