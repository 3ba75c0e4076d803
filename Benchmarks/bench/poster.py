"""Posts many downloads on a few connections, at a fraction of the cost of an HTTP library."""

import json
import selectors
import socket


def post_all(port, bodies, connections=16):
    """Sends `POST /downloads` for each body and awaits 201 for all of them; a connection has one request in hand."""
    send_all(port, [request(port, "/downloads", body) for body in bodies], connections)


def post_batches(port, bodies, size, connections=16):
    """Sends the bodies as batches of `size` items, and awaits 201 for all of them."""
    batches = [{"items": bodies[first : first + size]} for first in range(0, len(bodies), size)]
    send_all(port, [request(port, "/downloads/batch", batch) for batch in batches], connections)


def send_all(port, requests, connections):
    requests = iter(requests)
    selector = selectors.DefaultSelector()
    under_way = 0
    for _ in range(connections):
        data = next(requests, None)
        if data is None:
            break
        peer = socket.create_connection(("127.0.0.1", port))
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer.sendall(data)
        selector.register(peer, selectors.EVENT_READ, bytearray())
        under_way += 1
    while under_way:
        for key, _ in selector.select():
            if not take_answer(key.fileobj, key.data):
                continue
            data = next(requests, None)
            if data is not None:
                key.fileobj.sendall(data)
                continue
            selector.unregister(key.fileobj)
            key.fileobj.close()
            under_way -= 1


def request(port, path, body):
    text = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n"
    )
    return head.encode() + text


def take_answer(peer, buffer):
    """Reads what has come; true once it is a whole answer, which is then removed."""
    data = peer.recv(65_536)
    if not data:
        raise RuntimeError("the service closed a connection")
    buffer += data
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        return False
    head = bytes(buffer[:end])
    if not head.startswith(b"HTTP/1.1 201 "):
        raise RuntimeError(f"a download was refused: {bytes(buffer[:2000])}")
    length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    if len(buffer) < end + 4 + length:
        return False
    buffer.clear()
    return True
