"""Names in the layout of saved models."""

from __future__ import annotations

__all__ = [
    "ASSETS_DIRECTORY",
    "ASSETS_KEY",
    "CLASSIFY_INPUTS",
    "CLASSIFY_METHOD_NAME",
    "CLASSIFY_OUTPUT_CLASSES",
    "CLASSIFY_OUTPUT_SCORES",
    "DEBUG_DIRECTORY",
    "DEBUG_INFO_FILENAME_PB",
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY",
    "FINGERPRINT_FILENAME",
    "LIST_KINDS",
    "PREDICT_INPUTS",
    "PREDICT_METHOD_NAME",
    "PREDICT_OUTPUTS",
    "REGRESS_INPUTS",
    "REGRESS_METHOD_NAME",
    "REGRESS_OUTPUTS",
    "SAVED_MODEL_FILENAME_PB",
    "SAVED_MODEL_FILENAME_PBTXT",
    "SAVED_MODEL_SCHEMA_VERSION",
    "SERVING",
    "TRAINING",
    "VARIABLES_DIRECTORY",
    "VARIABLES_FILENAME",
]

ASSETS_DIRECTORY = "assets"
ASSETS_KEY = "saved_model_assets"
CLASSIFY_INPUTS = "inputs"
CLASSIFY_METHOD_NAME = "tensorflow/serving/classify"
CLASSIFY_OUTPUT_CLASSES = "classes"
CLASSIFY_OUTPUT_SCORES = "scores"
DEBUG_DIRECTORY = "debug"
DEBUG_INFO_FILENAME_PB = "saved_model_debug_info.pb"
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
FINGERPRINT_FILENAME = "fingerprint.pb"
PREDICT_INPUTS = "inputs"
PREDICT_METHOD_NAME = "tensorflow/serving/predict"
PREDICT_OUTPUTS = "outputs"
REGRESS_INPUTS = "inputs"
REGRESS_METHOD_NAME = "tensorflow/serving/regress"
REGRESS_OUTPUTS = "outputs"
SAVED_MODEL_FILENAME_PB = "saved_model.pb"
SAVED_MODEL_FILENAME_PBTXT = "saved_model.pbtxt"
SAVED_MODEL_SCHEMA_VERSION = 1
SERVING = "serve"
TRAINING = "train"
VARIABLES_DIRECTORY = "variables"
VARIABLES_FILENAME = "variables"

# What a list, tuple or dictionary is called in the file.
LIST_KINDS = {
    "list": "trackable_list_wrapper",
    "tuple": "trackable_tuple_wrapper",
    "dict": "trackable_dict_wrapper",
    "signatures": "signature_map",
    "object": "_generic_user_object",
}

# The public names of these.
PUBLIC = {
    "ASSETS_DIRECTORY": ("saved_model.ASSETS_DIRECTORY",),
    "ASSETS_KEY": ("saved_model.ASSETS_KEY",),
    "CLASSIFY_INPUTS": ("saved_model.CLASSIFY_INPUTS",),
    "CLASSIFY_METHOD_NAME": ("saved_model.CLASSIFY_METHOD_NAME",),
    "CLASSIFY_OUTPUT_CLASSES": ("saved_model.CLASSIFY_OUTPUT_CLASSES",),
    "CLASSIFY_OUTPUT_SCORES": ("saved_model.CLASSIFY_OUTPUT_SCORES",),
    "DEBUG_DIRECTORY": ("saved_model.DEBUG_DIRECTORY",),
    "DEBUG_INFO_FILENAME_PB": ("saved_model.DEBUG_INFO_FILENAME_PB",),
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY": ("saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY",),
    "PREDICT_INPUTS": ("saved_model.PREDICT_INPUTS",),
    "PREDICT_METHOD_NAME": ("saved_model.PREDICT_METHOD_NAME",),
    "PREDICT_OUTPUTS": ("saved_model.PREDICT_OUTPUTS",),
    "REGRESS_INPUTS": ("saved_model.REGRESS_INPUTS",),
    "REGRESS_METHOD_NAME": ("saved_model.REGRESS_METHOD_NAME",),
    "REGRESS_OUTPUTS": ("saved_model.REGRESS_OUTPUTS",),
    "SAVED_MODEL_FILENAME_PB": ("saved_model.SAVED_MODEL_FILENAME_PB",),
    "SAVED_MODEL_FILENAME_PBTXT": ("saved_model.SAVED_MODEL_FILENAME_PBTXT",),
    "SAVED_MODEL_SCHEMA_VERSION": ("saved_model.SAVED_MODEL_SCHEMA_VERSION",),
    "SERVING": ("saved_model.SERVING",),
    "TRAINING": ("saved_model.TRAINING",),
    "VARIABLES_DIRECTORY": ("saved_model.VARIABLES_DIRECTORY",),
    "VARIABLES_FILENAME": ("saved_model.VARIABLES_FILENAME",),
    "PUBLIC": ("saved_model.PUBLIC",),
}
