"""Kills the service again and again while it tells webhooks of many downloads, and says what came of it.

    scripts/webhook-chaos [--seconds 120] [--kills 20] [--seed N] [--examples] [PROGRAM]

The program is .build/debug/cormorant unless it is named. First the receivers of docs/examples are tried (examples.py);
with --examples that is all. Its other receivers are down, slow, answer 500, 503, 410 or 302,
hang after the head of their answer, answer with megabytes, reset connections, and change from one to the other by the
seed, for the time that is named. Then all of them are good, and the service gets time to catch up.

At the end: every download that was answered 201 has its end in the log of events; every event that an endpoint is
subscribed to was acknowledged by it, and verified by both reference libraries (standardwebhooks, svix) with every
secret that was valid; an event's body never changed; nothing followed a redirect; and the endpoint that asked for order
by session got each session's events in order.
"""

import argparse
import http.client
import http.server
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

import examples
from receivers import Receiver, Receivers

#: More attempts than fit into the time, so that nothing is given up.
RETRY_DELAYS = ",".join(["1s"] * 4 + ["2s"] * 300)
TYPES = ["download.completed", "download.failed", "download.cancelled", "session.finished"]
SESSIONS = 12
CATCH_UP_SECONDS = 180


class Origin(http.server.BaseHTTPRequestHandler):
    """Small files; one in eight is not there, and one in eight takes a second."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        number = int(self.path[1:])
        if number % 8 == 1:
            return self.send_error(404)
        if number % 8 == 2:
            time.sleep(1)
        body = random.Random(number).randbytes(2000)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class OriginServer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Connections break at each kill."""


class Service:
    def __init__(self, program, data, port):
        self.program, self.data, self.port = program, data, port
        self.log = open(data / "service.log", "ab")
        self.process = None

    def start(self):
        settings = {
            "listen": f"127.0.0.1:{self.port}",
            "data_dir": self.data / "data",
            "allow_insecure_webhooks": "true",
            "webhook_retry_delays": RETRY_DELAYS,
            "min_free_bytes": "0",
            "max_per_host": "16",
        }
        environment = {**os.environ, **{f"CORMORANT_{name.upper()}": str(value) for name, value in settings.items()}}
        self.process = subprocess.Popen([self.program, "serve"], env=environment, stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + 60
        while (answer := self.ask("GET", "/readyz")) is None or answer[0] != 200:
            if self.process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"webhook-chaos: the service does not start; see {self.data}/service.log")
            time.sleep(0.05)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def ask(self, method, path, body=None):
        """The status and the document; None where the service is gone."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            # A service without a token takes no POST that a page of another site could have sent.
            fields = {"Content-Type": "application/json"} if body is not None or method == "POST" else {}
            connection.request(method, path, json.dumps(body) if body is not None else None, fields)
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text else None
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()

    def ask_until(self, method, path, body=None):
        """The document, once the service is there and has answered with success."""
        while (answer := self.ask(method, path, body)) is None or answer[0] >= 500:
            time.sleep(0.1)
        if answer[0] >= 300:
            sys.exit(f"webhook-chaos: {method} {path} is answered {answer}")
        return answer[1]

    def pages(self, path):
        items = []
        while path:
            page = self.ask_until("GET", path)
            items += page["items"]
            path = page["links"].get("next")
        return items

    def events(self):
        """The log from its beginning."""
        events, page = [], {"next_after_seq": 0, "newest_seq": 1}
        while page["next_after_seq"] < page["newest_seq"]:
            page = self.ask_until("GET", f"/events?after_seq={page['next_after_seq']}&limit=200")
            events += page["items"]
        return events


class Run:
    def __init__(self, options, folder):
        self.options, self.random = options, random.Random(options.seed)
        self.origin = OriginServer(("127.0.0.1", 0), Origin)
        threading.Thread(target=self.origin.serve_forever, daemon=True).start()
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        self.service = Service(options.program, folder, port)
        bad = ["accept", "slow", "error", "busy", "redirect", "hang", "huge", "reset", "drop", "down"]
        self.receivers = Receivers(
            [
                Receiver("steady", ["accept"], options.seed),
                Receiver("down", ["down", "down", "accept"], options.seed),
                Receiver("slow", ["slow"], options.seed),
                Receiver("error", ["error", "error", "accept"], options.seed),
                Receiver("gone", ["accept", "accept", "accept", "gone"], options.seed),
                Receiver("redirect", ["redirect", "accept"], options.seed),
                Receiver("hang", ["hang", "accept"], options.seed),
                Receiver("huge", ["huge", "accept"], options.seed),
                Receiver("reset", ["reset", "drop", "accept"], options.seed),
                Receiver("flapping", bad, options.seed),
                Receiver("ordered", ["accept", "error", "drop", "reset"], options.seed, {"ordering": "session"}),
                Receiver("rotated", ["accept", "error"], options.seed),
            ]
        )
        self.ids, self.webhooks, self.is_over = {}, {}, False
        self.recoveries = 0

    def run(self):
        self.service.start()
        faults = examples.run(self.service)
        if self.options.examples or faults:
            return faults
        for receiver in self.receivers.all:
            body = {"url": receiver.url, "description": receiver.name, "types": TYPES, **receiver.options}
            webhook = self.service.ask_until("POST", "/webhooks", body)
            self.webhooks[receiver.name] = webhook["id"]
            receiver.secrets.append(webhook["secret"])
        self.receivers.misbehave()
        feeders = [threading.Thread(target=self.feed, args=(number,)) for number in range(2)]
        feeders.append(threading.Thread(target=self.heal))
        for feeder in feeders:
            feeder.start()
        self.kill_again_and_again()
        self.is_over = True
        for feeder in feeders:
            feeder.join()
        self.receivers.be_good()
        self.recover()
        return self.judge()

    def kill_again_and_again(self):
        pause = self.options.seconds / (self.options.kills + 1)
        for number in range(self.options.kills):
            time.sleep(self.random.uniform(0.3, 1.7) * pause)
            self.service.kill()
            self.service.start()
            if number == self.options.kills // 2:
                self.rotate()
        time.sleep(pause)

    def feed(self, feeder):
        """Posts one download after the other until it is over."""
        chance = random.Random(f"{self.options.seed} {feeder}")
        number = feeder
        while not self.is_over:
            body = {
                "url": f"http://127.0.0.1:{self.origin.server_port}/{number}",
                "session": f"s{chance.randrange(SESSIONS)}",
                "max_attempts": 1,
            }
            answer = self.service.ask("POST", "/downloads", body)
            if answer and answer[0] == 201:
                self.ids[answer[1]["id"]] = number
                if chance.random() < 0.1:
                    self.service.ask("PATCH", f"/downloads/{answer[1]['id']}", {"action": "cancel"})
            number += 2
            time.sleep(chance.expovariate(20))

    def heal(self):
        """Does what an operator does with endpoints that were disabled: enables and recovers them."""
        while not self.is_over:
            time.sleep(1)
            self.recover()

    def recover(self):
        for webhook in (self.service.ask("GET", "/webhooks?limit=100") or (0, {}))[1].get("items", []):
            if webhook["enabled"]:
                continue
            path = f"/webhooks/{webhook['id']}"
            if self.service.ask("PATCH", path, {"enabled": True}):
                since = webhook["created_at"]
                self.service.ask("POST", f"{path}/recover", {"created_after": since})
                self.recoveries += 1

    def rotate(self):
        """From the answer on both secrets are good; every delivery is then verified with both."""
        receiver = next(one for one in self.receivers.all if one.name == "rotated")
        answer = self.service.ask_until(
            "POST", f"/webhooks/{self.webhooks['rotated']}/rotate-secret", {"grace_seconds": 3600}
        )
        # Deliveries that were signed before the answer came carry the old signature alone.
        time.sleep(1)
        receiver.secrets.append(answer["secret"])

    def judge(self):
        faults = []
        deadline = time.monotonic() + CATCH_UP_SECONDS
        while time.monotonic() < deadline:
            self.recover()
            events = [event for event in self.service.events() if event["type"] in TYPES]
            missing = {one.name: self.missing(one, events) for one in self.receivers.all}
            open_ids = set(self.ids) - {event["data"].get("id") for event in events}
            if not open_ids and not any(missing.values()):
                break
            time.sleep(1)
        faults += [f"{len(ids)} events never came to {name}: {sorted(ids)[:5]}" for name, ids in missing.items() if ids]
        faults += [f"{len(open_ids)} downloads have no end in the log: {sorted(open_ids)[:5]}"] if open_ids else []
        ends = [event["data"]["id"] for event in events if event["type"].startswith("download.")]
        faults += [f"{len(ends) - len(set(ends))} downloads ended twice"] if len(ends) != len(set(ends)) else []
        finished = [event["data"] for event in events if event["type"] == "session.finished"]
        epochs = [(end["session"], end["epoch"]) for end in finished]
        faults += ["an epoch of a session finished twice"] if len(epochs) != len(set(epochs)) else []
        for receiver in self.receivers.all:
            faults += [f"{receiver.name}: {fault}" for fault in dict.fromkeys(receiver.faults)]
        faults += self.disorder()
        self.report(events)
        return faults

    def missing(self, receiver, events):
        """What is owed to an endpoint and never came: to one that was disabled, its deliveries alone."""
        owed = {event["id"] for event in events}
        if receiver.name == "gone":
            path = f"/webhooks/{self.webhooks['gone']}/deliveries?limit=200"
            owed &= {delivery["event_id"] for delivery in self.service.pages(path)}
        return owed - set(receiver.acknowledged)

    def disorder(self):
        """What the endpoint that asked for order got too early."""
        ordered = next(one for one in self.receivers.all if one.name == "ordered")
        last, faults = {}, []
        for event in ordered.events():
            session, seq = event["data"]["session"], event["data"]["seq"]
            if seq < last.get(session, 0):
                faults.append(f"ordered: {event['id']} of {session} came after a later one")
            last[session] = max(seq, last.get(session, 0))
        return faults

    def report(self, events):
        print(f"seed {self.options.seed}: {self.options.kills} kills, {len(self.ids)} downloads, {len(events)} events,")
        print(f"{self.recoveries} recoveries of disabled endpoints")
        for one in self.receivers.all:
            taken, doubled = len(one.seen), sum(one.seen.values()) - len(one.seen)
            print(f"  {one.name:9} {one.requests:6} requests, {taken:5} events taken, {doubled:4} once more")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=".build/debug/cormorant", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--examples", action="store_true", help="try the receivers of docs/examples, and nothing else")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="webhook-chaos-"))
    run = Run(options, folder)
    try:
        faults = run.run()
    finally:
        if run.service.process:
            run.service.process.kill()
    for fault in faults:
        print(f"FAULT: {fault}")
    if faults:
        sys.exit(f"webhook-chaos: {len(faults)} faults; what is left is in {folder}")
    shutil.rmtree(folder)
    if not options.examples:
        print("every event arrived at each endpoint, and was verified")


if __name__ == "__main__":
    main()
