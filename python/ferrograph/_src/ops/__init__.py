"""The operations as Python functions.

Private: the public namespaces re-export what is documented.
"""
