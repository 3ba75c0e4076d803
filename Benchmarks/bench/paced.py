#!/usr/bin/env python3
"""An origin of one file that gives each connection a fixed rate, to the millisecond.

nginx' `limit_rate` counts whole seconds and begins each answer with the bytes of one: whoever asks anew more often gets
more. Here bytes are due when their time has come. The connections are numbered in the order of their first requests:
one of them may fall silent on the way, another may give a hundredth of the rate.
"""

import argparse
import asyncio
import os
import re
import time

BLOCK = os.urandom(1 << 20)
TICK_SECONDS = 0.004
#: What is handed to the socket at once, and what may wait there.
PIECE, BACKLOG = 64 << 10, 256 << 10


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("port", type=int)
    parser.add_argument("--size", type=int, required=True, help="bytes of the file")
    parser.add_argument("--rate", type=float, required=True, help="bytes a second for each connection")
    parser.add_argument("--silent", type=int, help="the connection that stops after --silent-after bytes")
    parser.add_argument("--silent-after", type=int, default=5_000_000)
    parser.add_argument("--slow", type=int, help="the connection that gets a hundredth")
    return parser.parse_args()


class Origin:
    def __init__(self, options):
        self.options = options
        self.connections = 0

    async def serve(self, reader, writer):
        number = None
        try:
            while True:
                request = await reader.readuntil(b"\r\n\r\n")
                if number is None:
                    number = self.connections
                    self.connections += 1
                first, last = self.head(request, writer)
                await self.body(number, first, last, writer)
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()

    def head(self, request, writer):
        size = self.options.size
        asked = re.search(rb"(?i)\r\nrange: bytes=(\d+)-(\d*)", request)
        first, last = 0, size - 1
        if asked:
            first = int(asked[1])
            last = min(int(asked[2]), last) if asked[2] else last
            writer.write(b"HTTP/1.1 206 Partial Content\r\n")
            writer.write(b"Content-Range: bytes %d-%d/%d\r\n" % (first, last, size))
        else:
            writer.write(b"HTTP/1.1 200 OK\r\nAccept-Ranges: bytes\r\n")
        writer.write(b'ETag: "1"\r\nContent-Length: %d\r\n\r\n' % (last - first + 1))
        return first, last

    async def body(self, number, first, last, writer):
        total, sent, began = last - first + 1, 0, time.monotonic()
        rate = self.options.rate / 100 if number == self.options.slow else self.options.rate
        while sent < total:
            if writer.transport.is_closing():
                raise OSError("the client has gone")
            if number == self.options.silent and sent >= self.options.silent_after:
                await asyncio.sleep(3600)
            due = min(int((time.monotonic() - began + TICK_SECONDS) * rate), total)
            while sent < due:
                start = (first + sent) % len(BLOCK)
                count = min(due - sent, PIECE, len(BLOCK) - start)
                writer.write(memoryview(BLOCK)[start : start + count])
                sent += count
                if writer.transport.get_write_buffer_size() > BACKLOG:
                    await writer.drain()
            if sent < total:
                await asyncio.sleep(TICK_SECONDS)
        await writer.drain()


async def main():
    options = arguments()
    server = await asyncio.start_server(Origin(options).serve, "127.0.0.1", options.port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
