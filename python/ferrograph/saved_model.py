"""Saved models: functions, variables and objects in files that need no code."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ._src.hints import TYPE_CHECKING

from ._src import door as _door

if TYPE_CHECKING:
    from ._src.saved.asset import Asset
    from ._src.saved.constants import (
        ASSETS_DIRECTORY,
        ASSETS_KEY,
        CLASSIFY_INPUTS,
        CLASSIFY_METHOD_NAME,
        CLASSIFY_OUTPUT_CLASSES,
        CLASSIFY_OUTPUT_SCORES,
        DEBUG_DIRECTORY,
        DEBUG_INFO_FILENAME_PB,
        DEFAULT_SERVING_SIGNATURE_DEF_KEY,
        PREDICT_INPUTS,
        PREDICT_METHOD_NAME,
        PREDICT_OUTPUTS,
        PUBLIC,
        REGRESS_INPUTS,
        REGRESS_METHOD_NAME,
        REGRESS_OUTPUTS,
        SAVED_MODEL_FILENAME_PB,
        SAVED_MODEL_FILENAME_PBTXT,
        SAVED_MODEL_SCHEMA_VERSION,
        SERVING,
        TRAINING,
        VARIABLES_DIRECTORY,
        VARIABLES_FILENAME,
    )
    from ._src.saved.loading import contains_saved_model, load
    from ._src.saved.options import LoadOptions, SaveOptions
    from ._src.saved.saving import save

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
    "PREDICT_INPUTS",
    "PREDICT_METHOD_NAME",
    "PREDICT_OUTPUTS",
    "PUBLIC",
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
    "Asset",
    "LoadOptions",
    "SaveOptions",
    "contains_saved_model",
    "load",
    "save",
]

if not TYPE_CHECKING:
    _LAZY = {
        "ASSETS_DIRECTORY": "saved.constants:ASSETS_DIRECTORY",
        "ASSETS_KEY": "saved.constants:ASSETS_KEY",
        "Asset": "saved.asset:Asset",
        "CLASSIFY_INPUTS": "saved.constants:CLASSIFY_INPUTS",
        "CLASSIFY_METHOD_NAME": "saved.constants:CLASSIFY_METHOD_NAME",
        "CLASSIFY_OUTPUT_CLASSES": "saved.constants:CLASSIFY_OUTPUT_CLASSES",
        "CLASSIFY_OUTPUT_SCORES": "saved.constants:CLASSIFY_OUTPUT_SCORES",
        "DEBUG_DIRECTORY": "saved.constants:DEBUG_DIRECTORY",
        "DEBUG_INFO_FILENAME_PB": "saved.constants:DEBUG_INFO_FILENAME_PB",
        "DEFAULT_SERVING_SIGNATURE_DEF_KEY": "saved.constants:DEFAULT_SERVING_SIGNATURE_DEF_KEY",
        "LoadOptions": "saved.options:LoadOptions",
        "PREDICT_INPUTS": "saved.constants:PREDICT_INPUTS",
        "PREDICT_METHOD_NAME": "saved.constants:PREDICT_METHOD_NAME",
        "PREDICT_OUTPUTS": "saved.constants:PREDICT_OUTPUTS",
        "PUBLIC": "saved.constants:PUBLIC",
        "REGRESS_INPUTS": "saved.constants:REGRESS_INPUTS",
        "REGRESS_METHOD_NAME": "saved.constants:REGRESS_METHOD_NAME",
        "REGRESS_OUTPUTS": "saved.constants:REGRESS_OUTPUTS",
        "SAVED_MODEL_FILENAME_PB": "saved.constants:SAVED_MODEL_FILENAME_PB",
        "SAVED_MODEL_FILENAME_PBTXT": "saved.constants:SAVED_MODEL_FILENAME_PBTXT",
        "SAVED_MODEL_SCHEMA_VERSION": "saved.constants:SAVED_MODEL_SCHEMA_VERSION",
        "SERVING": "saved.constants:SERVING",
        "SaveOptions": "saved.options:SaveOptions",
        "TRAINING": "saved.constants:TRAINING",
        "VARIABLES_DIRECTORY": "saved.constants:VARIABLES_DIRECTORY",
        "VARIABLES_FILENAME": "saved.constants:VARIABLES_FILENAME",
        "contains_saved_model": "saved.loading:contains_saved_model",
        "load": "saved.loading:load",
        "save": "saved.saving:save",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
