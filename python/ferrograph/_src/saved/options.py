"""``SaveOptions`` and ``LoadOptions``."""

from __future__ import annotations

from ..hints import Any
from ..values.public import public

__all__ = ["LoadOptions", "SaveOptions"]


@public("saved_model.SaveOptions")
class SaveOptions:
    """How a model is saved.

    >>> fg.saved_model.SaveOptions(function_aliases={"f": "g"}).function_aliases
    {'f': 'g'}

    Args:
      namespace_whitelist: kept; operations of other libraries can't be saved.
      save_debug_info: kept; no such file is written.
      function_aliases: kept.
      experimental_debug_stripper: kept.
      experimental_io_device: kept; there is one device that writes files.
      experimental_variable_policy: kept; there is one device for variables.
      experimental_custom_gradients: whether custom gradients are saved; a model without them runs,
        and asking for such a gradient of it is an error.
      experimental_image_format: must be False: a model is one file of at most 2 GiB.
      experimental_skip_saver: kept.
      experimental_sharding_callback: must be None: variables are in one file.
      extra_tags: further tags of the graph.
    """

    def __init__(
        self,
        namespace_whitelist: Any = None,
        save_debug_info: bool = False,
        function_aliases: dict[Any, Any] | None = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: str | None = None,
        experimental_variable_policy: Any = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: Any = None,
        extra_tags: Any = None,
    ):
        if experimental_image_format or experimental_sharding_callback is not None:
            raise NotImplementedError(
                "experimental_image_format and experimental_sharding_callback must be left out: a "
                "saved model is one file beside one file of variables"
            )
        self.namespace_whitelist = namespace_whitelist
        self.save_debug_info = save_debug_info
        self.function_aliases = dict(function_aliases or {})
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = experimental_variable_policy
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = list(extra_tags or ())


@public("saved_model.LoadOptions")
class LoadOptions:
    """How a model is loaded.

    >>> fg.saved_model.LoadOptions(allow_partial_checkpoint=True).allow_partial_checkpoint
    True

    Args:
      allow_partial_checkpoint: whether variables may lack a value in the files, to be given one by
        ``assign`` before they are read.
      experimental_io_device: kept; there is one device that reads files.
      experimental_skip_checkpoint: whether variables are left without a value.
      experimental_variable_policy: kept; there is one device for variables.
      experimental_load_function_aliases: kept.
    """

    def __init__(
        self,
        allow_partial_checkpoint: bool = False,
        experimental_io_device: str | None = None,
        experimental_skip_checkpoint: bool = False,
        experimental_variable_policy: Any = None,
        experimental_load_function_aliases: bool = False,
    ):
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = experimental_variable_policy
        self.experimental_load_function_aliases = experimental_load_function_aliases
