"""Runs the receivers of docs/examples, and says which deliveries they take.

    scripts/webhook-chaos --examples [PROGRAM]

The service sends each of them a real delivery, which it takes. It also takes the one that the service sent to somebody
else with the same secret, sent again byte by byte, and refuses that one with another body, another id or another
timestamp, without a signature, and with one that is right and ten minutes old.
"""

import contextlib
import datetime
import http.client
import http.server
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

from standardwebhooks import Webhook

FOLDER = pathlib.Path(__file__).parents[3] / "docs" / "examples"
SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class Witness(http.server.BaseHTTPRequestHandler):
    """Keeps what the service sends."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.deliveries.append(({name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def witness():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Witness)
    server.deliveries = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


@contextlib.contextmanager
def example(command, folder):
    """Runs a receiver, and gives its port once it listens."""
    port, secret = free_port(), folder / "secret"
    secret.write_text(SECRET + "\n")
    process = subprocess.Popen([*command, secret, str(port)], stdout=subprocess.DEVNULL)
    try:
        until(f"{command[-1]} listens", lambda: process.poll() is None and is_open(port))
        yield port
    finally:
        process.kill()
        process.wait()


def is_open(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def until(claim, look):
    deadline = time.monotonic() + 30
    while not (value := look()):
        if time.monotonic() > deadline:
            sys.exit(f"webhook-chaos: not within 30 seconds: {claim}")
        time.sleep(0.02)
    return value


def ping(service, port):
    """Has a webhook with the secret pinged, and gives the path of the delivery."""
    url = f"http://127.0.0.1:{port}/hook"
    webhook = service.ask_until("POST", "/webhooks", {"url": url, "secret": SECRET, "types": ["session.*"]})
    return service.ask_until("POST", f"/webhooks/{webhook['id']}/ping")["links"]["self"]


def replays(fields, body):
    """What is sent to a receiver, and the status that it is to answer with."""
    id, timestamp = fields["webhook-id"], fields["webhook-timestamp"]

    def signed_at(age):
        at = datetime.datetime.now(tz=datetime.timezone.utc) - datetime.timedelta(seconds=age)
        signature = Webhook(SECRET).sign(msg_id=id, timestamp=at, data=body.decode())
        return fields | {"webhook-timestamp": str(int(at.timestamp())), "webhook-signature": signature}

    other = "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    both = f"{other} {fields['webhook-signature']}"
    return {
        "as it was sent": (fields, body, 204),
        "with a second signature": (fields | {"webhook-signature": both}, body, 204),
        "with another body": (fields, body.replace(b"webhook.ping", b"webhook.pong"), 401),
        "with another id": (fields | {"webhook-id": id[:-1] + ("0" if id[-1] != "0" else "1")}, body, 401),
        "with another timestamp": (fields | {"webhook-timestamp": str(int(timestamp) - 1)}, body, 401),
        "with another signature": (fields | {"webhook-signature": other}, body, 401),
        "without a signature": ({name: fields[name] for name in fields if name != "webhook-signature"}, body, 401),
        "signed just now": (signed_at(0), body, 204),
        "signed ten minutes ago": (signed_at(600), body, 401),
        "signed for in ten minutes": (signed_at(-600), body, 401),
    }


def status(port, fields, body):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    kept = {name: value for name, value in fields.items() if name.startswith("webhook-") or name == "content-type"}
    connection.request("POST", "/hook", body, kept)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def commands():
    """The examples that can be run here."""
    yield [sys.executable, FOLDER / "receiver.py"]
    if node := shutil.which("node"):
        yield [node, FOLDER / "receiver.mjs"]
    else:
        print("receiver.mjs is not run: there is no node here")


def start_with(command, text, folder):
    """How a receiver ends that is started with this text in place of a secret."""
    secret = folder / "wrong"
    secret.write_text(text)
    try:
        ended = subprocess.run([*command, secret, str(free_port())], capture_output=True, text=True, timeout=30)
    except subprocess.TimeoutExpired:
        return "it goes on"
    return f"{ended.returncode}" if "whsec_" in ended.stderr or "base64" in ended.stderr else ended.stderr


def run(service):
    """Runs the examples against a service that has started.

    Returns what is wrong with them.
    """
    faults = []
    with tempfile.TemporaryDirectory() as name, witness() as server:
        witnessed = ping(service, server.server_port)
        fields, body = until("the service delivers", lambda: next(iter(server.deliveries), None))
        for command in commands():
            name_of = command[-1].name
            for text in ("", "whsec_", "whsec_!", "whsec_AAAA", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="):
                ending = start_with(command, text, pathlib.Path(name))
                faults += [f"{name_of}: with {text!r} for a secret: {ending}, not 78"] if ending != "78" else []
            with example(command, pathlib.Path(name)) as port:
                path = ping(service, port)
                delivery = until(f"{name_of} answers", lambda: first_attempt(service, path))
                faults += [f"{name_of}: its own delivery: {delivery}"] if delivery["http_status"] != 204 else []
                for what, (sent, bytes_sent, expected) in replays(fields, body).items():
                    found = status(port, sent, bytes_sent)
                    faults += [f"{name_of}: {what}: {found}, not {expected}"] if found != expected else []
            service.ask_until("DELETE", path.partition("/deliveries/")[0])
            print(f"{name_of} was sent what it is to take, and what it is to refuse")
        service.ask_until("DELETE", witnessed.partition("/deliveries/")[0])
    return faults


def first_attempt(service, path):
    return next(iter(service.ask_until("GET", path)["attempts"]), None)
