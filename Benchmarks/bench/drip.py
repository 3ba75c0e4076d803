#!/usr/bin/env python3
"""An origin that gives each of very many connections a little, --turns times a second.

Every path is a file of --size bytes. It answers requests for one range.
"""

import argparse
import asyncio
import os
import re

RANGE = re.compile(rb"\r\nRange: *bytes=(\d+)-(\d*)\r\n", re.IGNORECASE)


class Dripper(asyncio.Protocol):
    def __init__(self, origin):
        self.origin = origin

    def connection_made(self, transport):
        self.transport = transport
        self.rest = 0

    def data_received(self, data):
        # A whole request at once: none of them has a body, and all are shorter than a packet.
        size = self.origin.size
        status, fields, self.rest = b"200 OK", b"Accept-Ranges: bytes\r\n", size
        if found := RANGE.search(data):
            first, last = int(found[1]), min(int(found[2] or size), size - 1)
            status, fields = b"206 Partial Content", b"Content-Range: bytes %d-%d/%d\r\n" % (first, last, size)
            self.rest = last - first + 1
        head = b'HTTP/1.1 %s\r\nETag: "1"\r\n%sContent-Length: %d\r\n\r\n' % (status, fields, self.rest)
        self.transport.write(head)
        self.origin.waiting.add(self)

    def connection_lost(self, error):
        self.origin.waiting.discard(self)

    def drip(self, piece):
        count = min(self.rest, len(piece))
        self.transport.write(piece[:count])
        self.rest -= count
        if not self.rest:
            self.origin.waiting.discard(self)


class Origin:
    def __init__(self, size, rate, turns):
        self.size = size
        self.turns = turns
        self.piece = os.urandom(max(1, rate // turns))
        self.waiting = set()

    async def run(self, port):
        loop = asyncio.get_running_loop()
        await loop.create_server(lambda: Dripper(self), "127.0.0.1", port, backlog=4096)
        due = loop.time()
        while True:
            for connection in list(self.waiting):
                connection.drip(self.piece)
            due = max(due + 1 / self.turns, loop.time())
            await asyncio.sleep(due - loop.time())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("--size", type=int, required=True)
    parser.add_argument("--rate", type=int, required=True, help="bytes a second for each connection")
    parser.add_argument("--turns", type=int, default=10, help="pieces a second for each connection (10)")
    options = parser.parse_args()
    asyncio.run(Origin(options.size, options.rate, options.turns).run(options.port))


if __name__ == "__main__":
    main()
