"""The package under the names by which programs of TensorFlow's world import it.

``as_tensorflow()`` makes ``import tensorflow`` find modules that hand out what ferrograph has:

* ``names.py`` says what these modules have besides the public names: parts that the documents
  leave to libraries (``__internal__``, ``compat.v1``), and where they are;
* ``internals.py`` says which modules of ``tensorflow.python`` there are, and which package asks for
  each: no others;
* ``modules.py`` makes the modules when they are imported;
* the others are what those tables name.

``keras.py`` opens the installed Keras on it. Nothing here is imported before one of the two.
"""
