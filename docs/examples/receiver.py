"""Receives webhooks on http://127.0.0.1, port 9002, and checks their signatures with PyPI's standardwebhooks.

    python3 receiver.py FILE-WITH-THE-SECRET [PORT]
"""

import http.server
import json
import pathlib
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        secret = pathlib.Path(sys.argv[1]).read_text().strip()
        try:
            # The very bytes that came, before anything parses them.
            Webhook(secret).verify(body, dict(self.headers.items()))
        except WebhookVerificationError as error:
            print(f"webhook: refused: {error}", flush=True)
            return self.answer(401)
        event = json.loads(body)
        print(f"webhook: {event['type']} {self.headers['webhook-id']}, the signature is right", flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, format, *arguments):
        pass


port = int(sys.argv[2]) if len(sys.argv) > 2 else 9002
http.server.ThreadingHTTPServer(("127.0.0.1", port), Receiver).serve_forever()
