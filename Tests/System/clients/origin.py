"""An origin on a free port of loopback: a file of 4 MiB, with ranges, and a receiver of webhooks.

Prints the URL and the SHA-256 of the file.
"""

import hashlib
import http.server
import random
import re

CONTENT = random.Random(1).randbytes(4 << 20)


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()

    def do_GET(self):
        if self.path == "/missing":
            self.send_error(404)
            return
        span = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        first = int(span[1]) if span else 0
        last = min(int(span[2]), len(CONTENT) - 1) if span and span[2] else len(CONTENT) - 1
        self.send_response(206 if span else 200)
        if span:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(CONTENT)}")
        self.send_header("Content-Length", str(last + 1 - first))
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("ETag", '"1"')
        self.end_headers()
        self.wfile.write(CONTENT[first : last + 1])

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *arguments):
        pass


server = Server(("127.0.0.1", 0), Origin)
print(f"http://127.0.0.1:{server.server_address[1]}/a.bin", hashlib.sha256(CONTENT).hexdigest(), flush=True)
server.serve_forever()
