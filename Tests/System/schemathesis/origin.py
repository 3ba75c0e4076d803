"""An origin on a free port of loopback: the same 4 KiB under every path, with a strong ETag."""

import http.server

BODY = bytes(range(256)) * 16


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY)))
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("ETag", '"1"')
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True

    def handle_error(self, *arguments):
        pass


server = Server(("127.0.0.1", 0), Origin)
print(f"127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
