"""A slow origin for examples: 64 MiB at http://127.0.0.1:9001/big.bin, with 8 MiB/s for all connections together.

It supports ranges and sends an ETag; /big.bin.sha256 is the digest. An argument is another port, for a mirror.
/busy.bin has one byte; it is answered 429 for the five seconds after its first request. /broken.bin is answered 503.
/report is a short PDF file without a suffix, of the first of May 2026; it is answered 304 to a client that has it.
/image.iso is a page that says "sign in".
The URL /big.bin?sig=1 sends 24 MiB and is refused then; a POST to /fresh answers with the next URL.
"""

import hashlib
import http.server
import json
import random
import re
import sys
import threading
import time

SIZE, BYTES_PER_SECOND, STEP = 64 << 20, 8 << 20, 64 << 10
LINK_BYTES, LINKS = 24 << 20, {}
CONTENT = random.Random(1).randbytes(SIZE)
DIGEST = hashlib.sha256(CONTENT).hexdigest()

FILES = {
    "/report": ("application/pdf", b"%PDF-1.4 a report"),
    "/image.iso": ("text/html", b"<p>Please sign in."),
}


class Pace:
    """Limits the bytes per second of all connections together."""

    lock, due = threading.Lock(), 0.0

    def wait(self, count):
        with self.lock:
            self.due = max(self.due, time.monotonic()) + count / BYTES_PER_SECOND
            rest = self.due - time.monotonic()
        time.sleep(rest)


PACE, REST = Pace(), {}


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path, _, signature = self.path.partition("?sig=")
        if signature and LINKS.get(signature, 0) >= LINK_BYTES:
            self.send_head(403, 0)
        elif path == "/big.bin":
            self.send_content(signature)
        elif self.path == "/big.bin.sha256":
            self.send_head(200, len(DIGEST) + 1)
            self.wfile.write(f"{DIGEST}\n".encode())
        elif self.path in FILES:
            self.send_file(*FILES[self.path])
        elif self.path == "/broken.bin":
            self.send_head(503, 0)
        elif self.path == "/busy.bin":
            self.send_when_rested()
        else:
            self.send_head(404, 0)

    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["data"]
        print(f"origin: another link, at byte {question['received_bytes']}", flush=True)
        answer = json.dumps({"url": f"http://127.0.0.1:{PORT}/big.bin?sig={len(LINKS) + 1}"}).encode()
        self.send_head(200, len(answer))
        self.wfile.write(answer)

    def send_content(self, signature):
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if asked is None:
            start, end = 0, SIZE
            self.send_head(200, SIZE)
        else:
            start, end = int(asked[1]), min(int(asked[2] or SIZE) + 1, SIZE)
            if start >= SIZE:
                return self.send_head(416, 0, f"bytes */{SIZE}")
            self.send_head(206, end - start, f"bytes {start}-{end - 1}/{SIZE}")
        for offset in range(start, end, STEP):
            if signature:
                LINKS[signature] = LINKS.get(signature, 0) + STEP
                if LINKS[signature] > LINK_BYTES:
                    self.close_connection = True
                    return
            self.wfile.write(CONTENT[offset : min(offset + STEP, end)])
            PACE.wait(STEP)

    def send_file(self, kind, content):
        if self.headers.get("If-None-Match") == f'"{DIGEST[:16]}"':
            return self.send_head(304, 0)
        fields = {"Content-Type": kind, "Last-Modified": "Fri, 01 May 2026 12:00:00 GMT"}
        self.send_head(200, len(content), fields=fields)
        self.wfile.write(content)

    def send_when_rested(self):
        REST.setdefault("until", time.monotonic() + 5)
        left = REST["until"] - time.monotonic()
        if left > 0:
            self.send_head(429, 0, retry_after=int(left) + 1)
        else:
            self.send_head(200, 1)
            self.wfile.write(b".")

    def send_head(self, status, length, content_range=None, retry_after=None, fields={}):
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", f'"{DIGEST[:16]}"')
        for name, value in fields.items():
            self.send_header(name, value)
        if content_range:
            self.send_header("Content-Range", content_range)
        if retry_after:
            self.send_header("Retry-After", str(retry_after))
        self.end_headers()

    def log_message(self, format, *arguments):
        if self.command == "GET":
            print(f"origin: {self.path} {self.headers.get('Range', 'from the start')}", flush=True)

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except ConnectionError:
            self.close_connection = True


PORT = int(sys.argv[1]) if len(sys.argv) > 1 else 9001
http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Origin).serve_forever()
