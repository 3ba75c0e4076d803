#!/usr/bin/env python3
"""An origin that gives each of very many connections a little, ten times a second.

Every path is a file of --size bytes.
"""

import argparse
import asyncio
import os

TURNS = 10


class Dripper(asyncio.Protocol):
    def __init__(self, origin):
        self.origin = origin

    def connection_made(self, transport):
        self.transport = transport
        self.rest = 0

    def data_received(self, data):
        # A whole request at once: none of them has a body, and all are shorter than a packet.
        size = self.origin.size
        self.transport.write(b'HTTP/1.1 200 OK\r\nETag: "1"\r\nContent-Length: %d\r\n\r\n' % size)
        self.rest = size
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
    def __init__(self, size, rate):
        self.size = size
        self.piece = os.urandom(max(1, rate // TURNS))
        self.waiting = set()

    async def run(self, port):
        loop = asyncio.get_running_loop()
        await loop.create_server(lambda: Dripper(self), "127.0.0.1", port, backlog=4096)
        due = loop.time()
        while True:
            for connection in list(self.waiting):
                connection.drip(self.piece)
            due = max(due + 1 / TURNS, loop.time())
            await asyncio.sleep(due - loop.time())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("--size", type=int, required=True)
    parser.add_argument("--rate", type=int, required=True, help="bytes a second for each connection")
    options = parser.parse_args()
    asyncio.run(Origin(options.size, options.rate).run(options.port))


if __name__ == "__main__":
    main()
