"""Writes ``recorded``: a model that TensorFlow saved, and what its functions gave.

    python tests/saved/record.py        with TensorFlow installed

The model and its calls are in ``models.py``, which both libraries run.
"""

import json
import shutil
from pathlib import Path

import models
import numpy as np
import tensorflow as tf

FOLDER = Path(__file__).parent / "recorded"

shutil.rmtree(FOLDER, ignore_errors=True)
model = models.make(tf)
model.choose(tf.constant([1.0, 2.0]))
model.choose(tf.constant([1.0, 2.0]), True)
tf.saved_model.save(model, str(FOLDER / "model"), signatures={"dense": model.dense})
tf.saved_model.save(models.counting(tf), str(FOLDER / "counts"))
results = {name: np.asarray(value).tolist() for name, value in models.results(tf, model).items()}
for name, value in results.items():
    if isinstance(value, list) and value and isinstance(value[0], bytes):
        results[name] = [text.decode() for text in value]
(FOLDER / "results.json").write_text(json.dumps(results))

module, names = models.foreign(tf)
tf.saved_model.save(module, str(FOLDER / "foreign"))
loaded = tf.saved_model.load(str(FOLDER / "foreign"))
found = {"names": names, "results": models.foreign_results(tf, loaded, names)}
(FOLDER / "foreign.json").write_text(json.dumps(found))
