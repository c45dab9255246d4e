"""Where an error that nobody catches is explained."""

from __future__ import annotations

__all__ = ["address", "help_line"]

# The public modules of the classes that have a page.
_EXPLAINED = ("ferrograph.errors", "ferrograph.autograph.errors")
_DISTRIBUTION = "ferrograph"


def help_line(error: BaseException) -> str | None:
    """The line that ends the traceback of an error of this package: the command that prints the
    page of its class, and the address of the page where the installed package names its site.

    The cause of an error counts for it; None where neither has a page.
    """
    for one in (error, error.__cause__):
        for cls in type(one).__mro__:
            if cls.__module__ in _EXPLAINED:
                found = address(cls.__name__)
                command = f"help: ferrograph explain {cls.__name__}"
                return command if found is None else f"{command}, {found}"
    return None


def address(name: str) -> str | None:
    """The address of the page of a class; None where the installed package names no site."""
    from importlib import metadata

    try:
        links = metadata.metadata(_DISTRIBUTION).get_all("Project-URL") or []
    except metadata.PackageNotFoundError:  # built in place
        return None
    for link in links:
        label, _, site = link.partition(",")
        if label.strip().lower() == "documentation":
            return f"{site.strip().rstrip('/')}/errors/{name}.html"
    return None
