"""What the tests of the page run against: an origin, the service, and a browser."""

import contextlib
import http.client
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.parse

#: The machine may be busy: nothing is expected sooner.
PATIENCE = 60


class Origin(http.server.ThreadingHTTPServer):
    """Serves `/<kind>/<bytes>/<name>`: `fast`, `slow` (200 KB/s a connection), or a status as kind; takes webhooks."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self):
        super().__init__(("127.0.0.1", 0), OriginHandler)
        self.authority = f"127.0.0.1:{self.server_address[1]}"
        self.url = f"http://{self.authority}"
        self.hooks = []
        self.headers_seen = []
        self.rate = 200_000
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """Connections break when the service is killed."""


class OriginHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.headers_seen.append(dict(self.headers))
        kind, *rest = urllib.parse.urlsplit(self.path).path.strip("/").split("/")
        if kind.isdigit():
            return self.answer(int(kind), b"")
        if kind == "page":
            return self.answer(200, b"<html>log in</html>", "text/html")
        self.send_part(int(rest[0]), self.server.rate if kind == "slow" else None)

    def send_part(self, size, rate):
        found = re.match(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        first = int(found[1]) if found else 0
        last = min(int(found[2]) if found and found[2] else size - 1, size - 1)
        self.send_response(206 if found else 200)
        if found:
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        for name, value in [("Accept-Ranges", "bytes"), ("ETag", f'"{size}"'), ("Content-Length", last - first + 1)]:
            self.send_header(name, str(value))
        self.end_headers()
        left = last - first + 1
        while left > 0:
            count = min(left, 65536 if rate is None else max(1024, self.server.rate // 5))
            self.wfile.write(b"x" * count)
            left -= count
            if rate:
                time.sleep(count / self.server.rate)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.hooks.append(json.loads(body))
        self.answer(200, b"thanks")

    def answer(self, status, body, kind="text/plain"):
        self.send_response(status)
        for name, value in [("Content-Type", kind), ("Content-Length", str(len(body)))]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Service:
    """The built program, started on the same port and folder again and again."""

    def __init__(self, program, folder, *flags, token=None):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.token = token
        self.command = [program, "serve", "--listen", f"127.0.0.1:{self.port}", "--data-dir", f"{folder}/data"]
        self.command += ["--min-free-bytes", "0", "--log-level", "warning", "--allow-insecure-webhooks", "true", *flags]
        self.url = f"http://127.0.0.1:{self.port}"
        self.downloads = pathlib.Path(folder, "data/downloads")
        self.log = open(f"{folder}/log", "ab")
        self.process = None

    def start(self):
        environment = {**os.environ, **({"CORMORANT_TOKEN": self.token} if self.token else {})}
        self.process = subprocess.Popen(self.command, stderr=self.log, env=environment)
        wait_for(lambda: self.ask("GET", "/readyz"), "the service")
        return self

    def end(self, number=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait()

    def ask(self, method, path, body=None):
        """The document that is answered; None where the service is not there, or refuses."""
        fields = {"Content-Type": "application/json"}
        if self.token:
            fields["Authorization"] = f"Bearer {self.token}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body and json.dumps(body), fields)
            answer = connection.getresponse()
            text = answer.read()
            return (json.loads(text) if text else {}) if answer.status < 300 else None
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()

    def add(self, url, **members):
        row = self.ask("POST", "/downloads", {"url": url, **members})
        assert row, f"the service refuses {url}"
        return row

    def state(self, identifier):
        return (self.ask("GET", f"/downloads/{identifier}?fields=state") or {}).get("state")

    def wait(self, identifier, state):
        wait_for(lambda: self.state(identifier) == state, f"the state {state}")


def wait_for(look, what, seconds=PATIENCE):
    deadline = time.monotonic() + seconds
    while not (result := look()):
        assert time.monotonic() < deadline, f"{what} did not come"
        time.sleep(0.05)
    return result


class View:
    """A page in the browser, and what a test does with it."""

    def __init__(self, page, url):
        self.page = page
        self.url = url
        self.faults = []
        self.dialogs = []
        page.set_default_timeout(PATIENCE * 1000)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self.heard)
        page.on("dialog", self.asked)

    def heard(self, message):
        # A refused request is shown by the browser too; the tests make some on purpose.
        if message.type == "error" and "Failed to load resource" not in message.text:
            if "ERR_CONNECTION" not in message.text:
                self.faults.append(message.text)

    def asked(self, dialog):
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def open(self, path="/"):
        self.page.goto(self.url + path, wait_until="domcontentloaded")
        return self

    def live(self):
        self.page.wait_for_selector("#connection[data-state=live]")
        return self

    def row(self, name):
        return self.page.locator("#table tbody tr", has=self.page.locator(".name", has_text=name)).first

    def wait_row(self, name, state):
        self.page.wait_for_function(
            """([name, state]) => [...document.querySelectorAll('#table tbody tr[data-id]')].some(row =>
                row.dataset.state === state && row.querySelector('.name').textContent.includes(name))""",
            arg=[name, state],
        )

    def text(self, selector):
        return self.page.locator(selector).first.inner_text()

    def wait_text(self, selector, words):
        self.page.wait_for_function(
            "([selector, words]) => document.querySelector(selector)?.innerText.includes(words)", arg=[selector, words]
        )

    def add(self, text):
        self.page.fill("#urls", text)
        self.page.click("#download")

    def drop(self, files=(), text=None):
        """Drops files, as (name, content), or a text on the page."""
        self.page.evaluate(
            """([files, text]) => {
                const transfer = new DataTransfer()
                for (const [name, content] of files) transfer.items.add(new File([content], name))
                if (text) transfer.setData('text/plain', text)
                document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }))
            }""",
            [list(files), text],
        )


@contextlib.contextmanager
def opened(browser, url, **settings):
    """A window of its own: what one test remembers another does not see."""
    settings = {"viewport": {"width": 1360, "height": 850}, "accept_downloads": True, **settings}
    context = browser.new_context(**settings)
    try:
        yield View(context.new_page(), url)
    finally:
        context.close()
