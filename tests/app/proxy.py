"""A reverse proxy in some lines, which shows a server under a path, as nginx.conf does."""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

OWN = {"connection", "transfer-encoding", "keep-alive", "date", "server"}


@contextmanager
def under_a_path(upstream: str, prefix: str) -> Iterator[str]:
    """The address at which the server `upstream` appears below `prefix` ("/speech")."""
    target = urlsplit(upstream)

    class Handler(BaseHTTPRequestHandler):
        def forward(self) -> None:
            if not self.path.startswith(f"{prefix}/"):
                self.send_error(404)
                return
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            connection = http.client.HTTPConnection(target.hostname or "", target.port, timeout=600)
            path = self.path.removeprefix(prefix)
            connection.request(self.command, path, body or None, dict(self.headers))
            answer = connection.getresponse()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in OWN:
                    self.send_header(name, value)
            self.send_header("Connection", "close")
            self.end_headers()
            while part := answer.read1(65536):  # as it comes: progress is an endless answer
                self.wfile.write(part)
                self.wfile.flush()
            connection.close()

        do_GET = do_POST = do_HEAD = forward  # noqa: N815  (as http.server calls them)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}{prefix}"
    finally:
        server.shutdown()
        server.server_close()
