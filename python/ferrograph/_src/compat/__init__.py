"""The compatibility layer: the package under the names by which programs import TensorFlow.

``as_tensorflow()`` makes ``import tensorflow`` find modules with the contents of ferrograph:

* ``names.py`` lists what these modules have besides the public names: parts that the documentation
  leaves to libraries (``__internal__``, ``compat.v1``), and where they are defined;
* ``internals.py`` lists the modules of ``tensorflow.python``, and the package that needs each:
  there are no others;
* ``modules.py`` makes the modules when they are imported;
* the other modules define what those tables name.

``keras.py`` opens the installed Keras on it. Nothing here is imported before one of the two.
"""
