#!/usr/bin/env python3
"""The origin of scripts/network-faults: one file of so many bytes, with ranges, under one ETag.

    network-origin.py ADDRESS PORT SIZE     serves it
    network-origin.py - 0 SIZE              writes its sha-256
"""

import hashlib
import http.server
import re
import socket
import sys
import threading

address, port, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
block = bytes(range(256)) * 257
content = (block * (size // len(block) + 1))[:size]
tag = '"one"'
if address == "-":
    sys.exit(print(hashlib.sha256(content).hexdigest()))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not wanted or self.headers.get("If-Range", tag) != tag:
            return self.answer(200, content, [])
        first, last = int(wanted[1]), min(int(wanted[2] or size - 1), size - 1)
        self.answer(206, content[first : last + 1], [("Content-Range", f"bytes {first}-{last}/{size}")])

    def answer(self, status, body, fields):
        self.send_response(status)
        for name, value in [*fields, ("ETag", tag), ("Content-Length", str(len(body)))]:
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def log_message(self, format, *args):
        print(self.client_address[0], self.headers.get("Range", "-"), flush=True)


class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A connection that breaks is what this is for."""


server = Server((address, port), Handler)
threading.Thread(target=server.serve_forever).start()
print("listening", flush=True)
