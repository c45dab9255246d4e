"""``fg.inspect``: a page that shows what a traced function did."""

from __future__ import annotations

import html
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ..function.concrete import ConcreteFunction
from ..function.explain.profile import profile as Profile
from ..function.function import BoundFunction, Function
from ..native import _core
from ..values import errors
from ..values.errors import shown
from ..values.public import public
from . import inspected

__all__ = ["Inspection", "inspect"]

_HEIGHT = 680  # of the page within a notebook, in pixels
_PATIENCE = 60.0


@public("inspect")
def inspect(function: Any, profile: Any = None) -> Inspection:
    """A page that shows what a traced function did: its graph, plan, memory, times and traces.

    The page is one HTML file that asks for nothing from elsewhere. A notebook shows it by itself;
    ``show()`` opens a browser, ``save(path)`` writes the file. The program ``ferrograph inspect
    --serve PATH`` shows the same of a saved model or of the Chrome trace of a profile.

    Args:
      function: a traced function, or one of its concrete functions. Its plan is that of the last
        call; before any, the one for the shapes that it was traced with, where these are fixed.
      profile: a profile of calls of it, ``fg.profile``: the page then has times.

    Returns:
      The page, an object with the attributes ``html`` and ``data`` and the methods ``save``,
      ``show``, ``serve`` and ``close``.

    Raises:
      TypeError: for other values.

    >>> f = fg.function(lambda x: fg.reduce_sum(x * 2.0))
    >>> with fg.profile() as taken:
    ...     total = f(fg.ones([3]))
    >>> page = fg.inspect(f, taken)
    >>> [node["op"] for node in page.data["traces"][0]["graphs"][0]["nodes"]]
    ['Placeholder', 'Const', 'Mul', 'Const', 'Sum', 'Identity']
    """
    if isinstance(function, BoundFunction):
        function = function._function
    if not isinstance(function, (Function, ConcreteFunction)):
        raise TypeError(f"inspect: function must be a traced function, got {shown(function)}")
    if profile is not None and not isinstance(profile, Profile):
        raise TypeError(f"inspect: profile must be a profile or None, got {shown(profile)}")
    traces = [function] if isinstance(function, ConcreteFunction) else function._traces()
    return Inspection(inspected.document(function, list(traces), profile))


class Inspection:
    """A page of the inspector.

    Attributes:
      data: what it shows, a document of plain dicts and lists.
    """

    def __init__(self, data: dict[str, Any]):
        self.data = data
        self._server: _Server | None = None

    def _json(self) -> str:
        text = json.dumps(self.data, ensure_ascii=False, allow_nan=False)
        # What is no text, as half a pair of UTF-16, may be in names of files.
        return text.encode("utf-8", "replace").decode("utf-8")

    @property
    def html(self) -> str:
        """The page as HTML."""
        return _core.inspector_page(self._json())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file; to one with a name that ends in ``.json``, its data.

        ``ferrograph inspect --serve`` shows both a Chrome trace and such data.
        """
        name = os.fspath(path)
        text = self._json() if name.endswith(".json") else self.html
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)

    def serve(self, port: int = 0) -> str:
        """Serve the page to browsers of this machine, on another thread until ``close``.

        Args:
          port: where; 0 is any that is free.

        Returns:
          The address of the page.

        Raises:
          UnavailableError: where the port can't be had.
        """
        self.close()
        try:
            self._server = _Server(self.html, port)
        except OSError as e:
            text = f"inspect: port {port} of 127.0.0.1 can't be served: {e}"
            raise errors.UnavailableError(None, None, text) from None
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self._server.address

    def close(self) -> None:
        """Serve it no more."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def show(self) -> None:
        """Open the page in a browser, and wait until the browser has it, a minute at most."""
        import webbrowser

        address = self.serve()
        try:
            assert self._server is not None
            if webbrowser.open(address):
                self._server.fetched.wait(_PATIENCE)
            else:
                print("no browser was found: save(path) writes the page, serve() serves it")
        finally:
            self.close()

    def _repr_html_(self) -> str:
        # The frame runs the page's script and has no access to the notebook around it.
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" '
            f'title="ferrograph inspector" width="100%" height="{_HEIGHT}" '
            'style="border:1px solid #8888"></iframe>'
        )

    def __repr__(self) -> str:
        n = len(self.data["traces"])
        return f"<Inspection of {self.data['title']}: {n} trace{'' if n == 1 else 's'}>"


class _Server(ThreadingHTTPServer):
    """Serves one page to this machine."""

    daemon_threads = True

    def __init__(self, page: str, port: int):
        super().__init__(("127.0.0.1", port), _Handler)
        self.page, self.fetched = page.encode(), threading.Event()
        port = self.server_address[1]
        self.address = f"http://127.0.0.1:{port}/"
        # Under another name, a page of another site could lead here and read this one.
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}


class _Handler(BaseHTTPRequestHandler):
    """Answers with the page, and with nothing else."""

    server: _Server
    timeout = 5.0

    def do_GET(self) -> None:  # noqa: N802 - the name that the server calls
        if self.headers.get("Host", "").lower() not in self.server.hosts:
            self.send_error(421)
        elif self.path != "/":
            self.send_error(404)
        else:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(self.server.page)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("X-Frame-Options", "DENY")
            self.end_headers()
            self.wfile.write(self.server.page)
            self.server.fetched.set()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        """Requests are not printed."""
