"""Writes recorded.json: what tensorflow gives for each case. Run by hand, where tensorflow is."""

import json
import pathlib

import tensorflow as tf
from cases import bands, encoded, operators, results

recorded = {}
for name, make in operators(tf).items():
    asked = results(tf, make())
    recorded[name] = {what: encoded(function) for what, function in asked.items()}
recorded["bands"] = {name: encoded(function) for name, function in bands(tf).items()}
place = pathlib.Path(__file__).with_name("recorded.json")
lines = [f"{json.dumps(name)}: {json.dumps(found)}" for name, found in recorded.items()]
place.write_text("{\n" + ",\n".join(lines) + "\n}\n")
