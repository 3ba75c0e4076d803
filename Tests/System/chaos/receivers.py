"""Receivers of webhooks that misbehave, each in ways of its own, until they are told to be good."""

import asyncio
import json
import random
import re
import struct
import socket
import threading
import time

from standardwebhooks import Webhook as Standard
from svix.webhooks import Webhook as Svix

#: What a receiver does with a delivery. Those that take it have worked on it, whatever the sender learns of that.
WAYS = {
    "accept": "takes it and answers 204",
    "slow": "takes it and answers after a while",
    "error": "answers 500",
    "busy": "answers 503 with Retry-After",
    "gone": "answers 410",
    "redirect": "answers 302 to another path of its own",
    "hang": "takes it, and never ends its answer",
    "huge": "takes it and answers with megabytes",
    "reset": "takes it and resets the connection",
    "drop": "resets the connection at once",
    "down": "takes no connection",
}
HUGE = 8 << 20


class Receiver:
    """An endpoint on a port of its own, which learns nothing of the sender but requests. `ways` are what it does."""

    def __init__(self, name, ways, seed, options=None):
        self.name, self.ways, self.options = name, ways, options or {}
        self.random = random.Random(f"{seed} {name}")
        self.way, self.is_good = ways[0], False
        self.secrets = []
        #: Bytes by `webhook-id`; ids in the order of their first acknowledgement; how often each was seen.
        self.bodies, self.acknowledged, self.seen = {}, {}, {}
        self.faults, self.requests = [], 0
        self.port, self.server = None, None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/hook"

    async def open(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", self.port or 0)
        self.port = self.server.sockets[0].getsockname()[1]

    async def misbehave(self):
        """Changes its way every now and then, until it is to be good."""
        while not self.is_good:
            self.way = self.random.choice(self.ways)
            await self.be_open(self.way != "down")
            await asyncio.sleep(self.random.uniform(0.5, 3))
        self.way = "accept"
        await self.be_open(True)

    async def be_open(self, is_open):
        if is_open and not self.server:
            await self.open()
        elif not is_open and self.server:
            self.server.close()
            self.server = None

    async def serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                length = re.search(r"(?i)\r\ncontent-length: *(\d+)", head)
                body = await reader.readexactly(int(length[1]) if length else 0)
                await self.answer(head, body, writer)
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()

    async def answer(self, head, body, writer):
        self.requests += 1
        way, fields = self.way, dict(re.findall(r"(?m)^([^:\r\n ]+): *([^\r\n]*)", head))
        fields = {name.lower(): value for name, value in fields.items()}
        if not head.startswith("POST /hook "):
            self.faults.append(f"asked for {head.splitlines()[0]}")
        if way in ("drop", "down"):
            return self.reset(writer)
        if way in ("accept", "slow", "huge", "reset", "hang"):
            self.take(fields, body)
        # Their status is an acknowledgement, though the sender does not wait for the rest.
        if way in ("huge", "hang"):
            self.acknowledged.setdefault(fields["webhook-id"], time.time())
        if way == "reset":
            return self.reset(writer)
        if way == "slow":
            await asyncio.sleep(self.random.uniform(0.2, 1.5))
        if way == "hang":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
            return await asyncio.sleep(60)
        writer.write(self.text(way))
        await writer.drain()
        if way in ("accept", "slow"):
            self.acknowledged.setdefault(fields["webhook-id"], time.time())

    def text(self, way):
        return {
            "error": b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 4\r\n\r\noops",
            "busy": b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n",
            "gone": b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n",
            "redirect": b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n",
            "huge": b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % HUGE + bytes(HUGE),
        }.get(way, b"HTTP/1.1 204 No Content\r\n\r\n")

    def take(self, fields, body):
        """Verifies a delivery as a user of either library would, and remembers it."""
        name = fields.get("webhook-id", "")
        for library in (Standard, Svix):
            for secret in self.secrets:
                try:
                    library(secret).verify(body, fields)
                except Exception as error:
                    self.faults.append(f"{library.__module__} refuses {name}: {error!r}")
        if self.bodies.setdefault(name, body) != body:
            self.faults.append(f"{name} came with another body")
        self.seen[name] = self.seen.get(name, 0) + 1

    def reset(self, writer):
        peer = writer.get_extra_info("socket")
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        raise OSError("reset")

    def events(self):
        """What was acknowledged, in that order."""
        return [json.loads(self.bodies[name]) | {"id": name} for name in self.acknowledged]


class Receivers:
    """All of them, on one loop in a thread of its own."""

    def __init__(self, receivers):
        self.all = receivers
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        for receiver in receivers:
            self.call(receiver.open()).result()

    def call(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def misbehave(self):
        for receiver in self.all:
            self.call(receiver.misbehave())

    def be_good(self):
        for receiver in self.all:
            receiver.is_good = True
