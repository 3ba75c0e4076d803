#!/usr/bin/env python3
"""A long line before an origin: each byte takes its time, a connection holds so many on the way, and some are reset.

It stands for what `tc qdisc … netem` does where the kernel has it, and needs neither that nor root. As with TCP, what
was sent counts against the connection's window until its acknowledgement is back, and the window of a new connection
begins with ten packets (RFC 6928) and grows by what is acknowledged. The bytes on the way lie in a pipe, into and out
of which the kernel moves them (splice): none of them comes into this process.

On SIGTERM it writes to its standard output, as JSON, what it did.
"""

import argparse
import asyncio
import collections
import fcntl
import json
import math
import os
import random
import signal
import socket
import struct
import time

#: What is moved at once, and what the chance of a reset is for.
PIECE = 64 << 10
FIRST_WINDOW = 14_600


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("port", type=int)
    parser.add_argument("--origin", type=int, required=True, help="the port of the origin")
    parser.add_argument("--delay", type=float, required=True, help="seconds in each direction")
    parser.add_argument("--window", type=int, required=True, help="bytes of one connection on the way, at most 1 MiB")
    parser.add_argument("--chance", type=float, required=True, help="of a reset, for each 64 KiB that arrive")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


class Line:
    def __init__(self, options):
        self.options = options
        self.loop = asyncio.get_running_loop()
        self.random = random.Random(options.seed)
        self.connections = self.resets = self.bytes = 0
        self.next_reset = self.bytes_to_reset()

    def accept(self, listener):
        client, _ = listener.accept()
        self.connections += 1
        Connection(self, client, socket.create_connection(("127.0.0.1", self.options.origin)))

    def arrived(self, count):
        """Whether the connection that brought these bytes is reset.

        The bytes of all connections are counted together, so that two clients with the same seed meet the same resets
        however they divide the file.
        """
        self.bytes += count
        if self.bytes < self.next_reset:
            return False
        self.next_reset = self.bytes + self.bytes_to_reset()
        self.resets += 1
        return True

    def bytes_to_reset(self):
        chance = self.options.chance
        return PIECE * math.ceil(math.log(1 - self.random.random()) / math.log(1 - chance)) if chance else math.inf

    def account(self):
        used = time.process_time()
        return {"connections": self.connections, "resets": self.resets, "bytes": self.bytes, "cpu_seconds": used}


class Connection:
    """One client's connection and the one to the origin that belongs to it."""

    def __init__(self, line, client, origin):
        self.line, self.loop, self.delay = line, line.loop, line.options.delay
        self.client, self.origin = client, origin
        self.output, self.input = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        fcntl.fcntl(self.input, fcntl.F_SETPIPE_SZ, line.options.window)
        #: The client could not have asked before its handshake had gone there and back.
        self.opened_at = self.loop.time() + 2 * self.delay
        self.requests = collections.deque()
        #: The sizes of what is on the way, and what has come to the end of it.
        self.pieces = collections.deque()
        self.due = 0
        self.window, self.unacknowledged = FIRST_WINDOW, 0
        self.is_closed = self.has_ended = self.is_watching = False
        for peer in (client, origin):
            peer.setblocking(False)
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.loop.add_reader(client, self.take_request)
        self.watch_origin(True)

    def take_request(self):
        try:
            data = self.client.recv(PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            return
        self.requests.append(data)
        self.loop.call_at(max(self.loop.time(), self.opened_at) + self.delay, self.pass_request)

    def pass_request(self):
        if self.is_closed:
            return
        try:
            self.origin.sendall(self.requests.popleft())
        except OSError:
            self.close()

    def take(self, is_readable=False):
        """Puts on the way what the origin has sent and the window has room for."""
        while not self.has_ended and self.has_room():
            try:
                count = os.splice(self.origin.fileno(), self.input, self.room(), flags=os.SPLICE_F_NONBLOCK)
            except BlockingIOError:
                # The origin has sent nothing more, or the pipe is full. Whatever is acknowledged comes back here.
                self.watch_origin(not is_readable)
                return
            except OSError:
                count = 0
            is_readable = False
            self.has_ended = count == 0
            self.unacknowledged += count
            self.pieces.append(count)
            self.loop.call_later(self.delay, self.arrive)
        self.watch_origin(False)

    def room(self):
        return min(self.window - self.unacknowledged, PIECE)

    def has_room(self):
        # It is used in whole pieces, lest they become ever smaller.
        return self.room() >= min(PIECE, self.window // 4)

    def watch_origin(self, is_wanted):
        if is_wanted and not self.is_watching:
            self.loop.add_reader(self.origin, self.take, True)
        elif self.is_watching and not is_wanted:
            self.loop.remove_reader(self.origin)
        self.is_watching = is_wanted

    def arrive(self):
        if self.is_closed:
            return
        self.due += self.pieces.popleft()
        self.give()

    def give(self):
        """Hands to the client what has arrived."""
        while self.due:
            try:
                count = os.splice(self.output, self.client.fileno(), self.due, flags=os.SPLICE_F_NONBLOCK)
            except BlockingIOError:
                self.loop.add_writer(self.client, self.give_again)
                return
            except OSError:
                self.close()
                return
            self.due -= count
            self.loop.call_later(self.delay, self.acknowledge, count)
            if self.line.arrived(count):
                self.reset()
                return
        if self.has_ended and not self.pieces:
            self.close()

    def give_again(self):
        self.loop.remove_writer(self.client)
        self.give()

    def acknowledge(self, count):
        if self.is_closed:
            return
        self.unacknowledged -= count
        self.window = min(self.window + count, self.line.options.window)
        self.take()

    def reset(self):
        """Both ends learn of it at once, and what is on the way is lost."""
        self.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self):
        self.is_closed = True
        for peer in (self.client, self.origin):
            self.loop.remove_reader(peer)
            self.loop.remove_writer(peer)
            peer.close()
        os.close(self.input)
        os.close(self.output)


async def main():
    line, ended = Line(arguments()), asyncio.Event()
    line.loop.add_signal_handler(signal.SIGTERM, ended.set)
    with socket.create_server(("127.0.0.1", line.options.port), backlog=128) as listener:
        listener.setblocking(False)
        line.loop.add_reader(listener, line.accept, listener)
        await ended.wait()
        line.loop.remove_reader(listener)
    print(json.dumps(line.account()))


if __name__ == "__main__":
    asyncio.run(main())
