#!/usr/bin/env python3
"""An origin of small files and a receiver of webhooks in one process, and so with one clock.

`GET /files/<name>` is a file; `POST` is a delivery, which is accepted once it is there as a whole. `GET /times` says,
as JSON, how many seconds lay between the last byte of each file and the delivery of its `download.completed`.
"""

import asyncio
import json
import os
import re
import sys
import time

FILE = os.urandom(10 << 10)
OK = b"HTTP/1.1 200 OK\r\nAccept-Ranges: none\r\nContent-Length: %d\r\n\r\n%b"


class Peer(asyncio.Protocol):
    sent, accepted = {}, {}

    def connection_made(self, transport):
        self.transport, self.buffer = transport, bytearray()

    def data_received(self, data):
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = bytes(self.buffer[:end])
            length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
            whole = end + 4 + (int(length[1]) if length else 0)
            if len(self.buffer) < whole:
                return
            self.answer(head, bytes(self.buffer[end + 4 : whole]))
            del self.buffer[:whole]

    def answer(self, head, body):
        method, path = head.split(b" ", 2)[:2]
        if method == b"POST":
            now = time.monotonic()
            event = json.loads(body)
            if event["type"] == "download.completed":
                self.accepted.setdefault(event["data"]["url"].rpartition("/")[2], now)
            self.transport.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        elif path == b"/times":
            times = [self.accepted[name] - sent for name, sent in self.sent.items() if name in self.accepted]
            text = json.dumps(times).encode()
            self.transport.write(OK % (len(text), text))
        else:
            self.transport.write(OK % (len(FILE), FILE))
            self.sent.setdefault(path.rpartition(b"/")[2].decode(), time.monotonic())


async def main():
    server = await asyncio.get_running_loop().create_server(Peer, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
