"""Serves the files of the page from the work tree and passes the rest on: to try the page without a build."""

import gzip
import http.client
import http.server
import pathlib
import re
import socket
import threading

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "Sources/API/Page"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class SourceServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, upstream):
        super().__init__(("127.0.0.1", 0), Handler)
        self.upstream = upstream
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """The service is killed by tests."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_any(self):
        path = self.path.split("?")[0]
        found = re.match(r"^/page/[^/]+/([a-z-]+\.(?:js|css|svg))$", path)
        name = "index.html" if path == "/" else found and found[1]
        if self.command == "GET" and name and (PAGE / name).exists():
            self.send_file(PAGE / name)
        else:
            self.pass_on()

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = handle_any

    def send_file(self, path):
        content = gzip.compress(path.read_bytes().replace(b"{version}", b"0"))
        self.send_response(200)
        fields = {"Content-Type": f"{TYPES[path.suffix]}; charset=utf-8", "Content-Encoding": "gzip"}
        fields |= {"Content-Length": str(len(content)), "Content-Security-Policy": POLICY, "Cache-Control": "no-store"}
        for field in fields.items():
            self.send_header(*field)
        self.end_headers()
        self.wfile.write(content)

    def pass_on(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else None
        host = f"127.0.0.1:{self.server.upstream}"
        fields = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        fields["Host"] = host
        if "Origin" in fields:
            fields["Origin"] = f"http://{host}"
        connection = http.client.HTTPConnection("127.0.0.1", self.server.upstream, timeout=3700)
        try:
            connection.request(self.command, self.path, body, fields)
            self.send_answer(connection.getresponse())
        except (OSError, http.client.HTTPException):
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        finally:
            connection.close()

    def send_answer(self, answer):
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection"):
                self.send_header(name, value)
        if answer.getheader("Content-Length") is None and answer.status not in (204, 304):
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        while piece := answer.read1(65536):
            self.wfile.write(piece)
            self.wfile.flush()

    def log_message(self, *_):
        pass
