"""Receives webhooks on http://127.0.0.1, port 9002, and checks their signatures with PyPI's standardwebhooks.

    python3 receiver.py FILE-WITH-THE-SECRET [PORT]
"""

import base64
import http.server
import json
import pathlib
import re
import sys

try:
    from standardwebhooks.webhooks import Webhook, WebhookVerificationError
except ModuleNotFoundError:
    sys.exit("receiver.py needs a package: python3 -m venv .venv && .venv/bin/pip install standardwebhooks")


def read_secret():
    """The secret in the file.

    Raises ValueError where the text is none.
    """
    text = pathlib.Path(sys.argv[1]).read_text().strip()
    if not re.fullmatch(r"whsec_[A-Za-z0-9+/]+={0,2}", text):
        raise ValueError("it does not hold 'whsec_' and base64")
    if not 24 <= len(base64.b64decode(text.removeprefix("whsec_"), validate=True)) <= 64:
        raise ValueError("it does not hold the base64 of 24 to 64 bytes")
    return text


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            secret = read_secret()
        except (OSError, ValueError) as error:
            print(f"webhook: {sys.argv[1]} has no secret: {error}", file=sys.stderr, flush=True)
            return self.answer(500)
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


if len(sys.argv) < 2:
    sys.exit(__doc__)
try:
    read_secret()
except FileNotFoundError:
    # The service makes it, perhaps in a moment.
    pass
except (OSError, ValueError) as error:
    print(f"receiver.py: {sys.argv[1]} has no secret: {error}", file=sys.stderr)
    sys.exit(78)
port = int(sys.argv[2]) if len(sys.argv) > 2 else 9002
http.server.ThreadingHTTPServer(("127.0.0.1", port), Receiver).serve_forever()
