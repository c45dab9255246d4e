"""Messages that libraries fill in by hand."""

from __future__ import annotations

from ..values import wire

__all__ = ["SummaryMetadata"]


class PluginData:
    """What a summary is shown by: the name of the plugin, and bytes of its own."""

    def __init__(self, plugin_name: str = "", content: bytes = b""):
        self.plugin_name, self.content = plugin_name, content


class SummaryMetadata:
    """What a summary is: how it is shown, its name and its description."""

    def __init__(
        self,
        plugin_data: PluginData | None = None,
        display_name: str = "",
        summary_description: str = "",
        data_class: int = 0,
    ):
        self.plugin_data = plugin_data or PluginData()
        self.display_name, self.summary_description = display_name, summary_description
        self.data_class = data_class

    def SerializeToString(self) -> bytes:
        """The message as bytes."""
        plugin = self.plugin_data
        own = wire.part(1, plugin.plugin_name.encode()) if plugin.plugin_name else b""
        own += wire.part(2, plugin.content) if plugin.content else b""
        text = wire.part(1, own)
        for number, said in ((2, self.display_name), (3, self.summary_description)):
            text += wire.part(number, said.encode()) if said else b""
        return text + (bytes([4 << 3, self.data_class]) if self.data_class else b"")
